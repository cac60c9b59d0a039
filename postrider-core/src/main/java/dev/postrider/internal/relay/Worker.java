package dev.postrider.internal.relay;

import dev.postrider.BatchReport;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What delivers the events of a relay, on one thread or on several. Started once and stopped once. */
public interface Worker {
    void start();

    /** Something may have been committed: look at once. Any thread. */
    void nudge();

    /** Without {@link #start}: one batch, on the caller's thread, until all of it is settled. */
    BatchReport runOnce() throws SQLException, InterruptedException;

    /** Publishes nothing more until everything in flight has been answered. Any thread, at once. */
    void halt();

    /** How the destination is, in a word. */
    String circuit();

    /** How long the destination has not answered an event, if that is too long; null if it is not. Any thread. */
    @Nullable
    Duration noAnswerFor();

    /**
     * Whether its thread goes on. Not started, it is the caller's who does. Any thread.
     *
     * @param limit so long it may be at one step
     */
    boolean isTurning(Duration limit);

    /** How long its thread has been at the step it is at. Any thread. */
    Duration sinceLastStep();

    /** It does not turn: tells where it stands, and ends what it waits for as far as that is possible. Any thread, at once. */
    void unblock();

    /**
     * Fetches no more, waits for what is in flight, at most the drain timeout, and records it. Takes a few seconds more than
     * that timeout at most, whatever does not answer.
     */
    void stop();

    /** Ends without recording anything. */
    void abandon();
}
