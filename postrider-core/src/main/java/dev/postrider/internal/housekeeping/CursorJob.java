package dev.postrider.internal.housekeeping;

import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Keeps the history of a log's cursors short: every row of the last minutes, one a minute of the last days, every
 * takeover of those days. The newest rows always stay.
 */
final class CursorJob {
    static final String LEASE = "job/cursor";

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    /** The newest rows are what exactly-once delivery may have to go back to. */
    private static final LogStore.History KEEP = new LogStore.History(Duration.ofMinutes(10), Duration.ofDays(7), 100);

    private final LogStore logStore;
    private final RelaySession session;
    private final JobLease lease;

    private long next = System.nanoTime();

    CursorJob(String owner, OutboxStore store, LogStore logStore, RelaySession session, Duration leaseLength) {
        this.logStore = logStore;
        this.session = session;
        this.lease = new JobLease(LEASE, owner, store, session, leaseLength.plus(INTERVAL));
    }

    /**
     * Thins if it is time.
     *
     * @return how long to wait before the next step
     */
    Duration step() throws SQLException {
        long now = System.nanoTime();
        if (now - next >= 0) {
            if (lease.take()) {
                session.callWithTimeout(LONGEST, connection -> logStore.thinCursors(connection, KEEP));
            }
            next = now + INTERVAL.toNanos();
        }
        return Duration.ofNanos(next - now);
    }

    void stop() throws SQLException {
        lease.release();
    }
}
