package dev.postrider.relay;

import java.sql.SQLException;

/** What delivers the events of a relay, on one thread or on several. Started once and stopped once. */
public interface Worker {
    void start();

    /** Something may have been committed: look at once. Any thread. */
    void nudge();

    /** Without {@link #start}: one batch, on the caller's thread, until all of it is settled. */
    RelayLoop.Report runOnce() throws SQLException, InterruptedException;

    /** Publishes nothing more until everything in flight has been answered. Any thread, at once. */
    void stopTheLine();

    /** How the destination is, in a word. */
    String circuit();

    /** Fetches no more, waits for what is in flight, at most the drain timeout, and records it. */
    void stop();
}
