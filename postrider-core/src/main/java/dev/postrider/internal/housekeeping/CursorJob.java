package dev.postrider.internal.housekeeping;

import dev.postrider.housekeeping.CursorHistory;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Keeps the history of a log's cursors short: every row of the last minutes, one a minute of the last days, every
 * takeover of those days; or every row of those days. The newest rows always stay.
 */
final class CursorJob {
    static final String LEASE = "job/cursor";

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Duration ALL = Duration.ofMinutes(10);

    /** The newest rows are what exactly-once delivery may have to go back to. */
    private static final int NEWEST = 100;

    private final LogStore logStore;
    private final LogStore.History keep;
    private final RelaySession session;
    private final JobLease lease;

    private long next = System.nanoTime();

    CursorJob(String owner, OutboxStore store, LogStore logStore, RelaySession session, HousekeepingSettings settings) {
        CursorHistory history = settings.cursorHistory();
        this.logStore = logStore;
        this.keep = new LogStore.History(history.thinned() ? ALL : history.kept(), history.kept(), NEWEST);
        this.session = session;
        this.lease = new JobLease(
                LEASE, owner, store, session, settings.leaseLength().plus(INTERVAL));
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
                session.callWithTimeout(LONGEST, connection -> logStore.thinCursors(connection, keep));
            }
            next = now + INTERVAL.toNanos();
        }
        return Duration.ofNanos(next - now);
    }

    void stop() throws SQLException {
        lease.release();
    }
}
