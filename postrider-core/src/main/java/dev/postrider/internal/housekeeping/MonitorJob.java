package dev.postrider.internal.housekeeping;

import dev.postrider.OutboxPause;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Levels;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.StatusStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Shows the alert monitor how high it stands in the outbox, on behalf of all instances: what the
 * monitor has to remember is kept in the database, so that alerts are neither repeated nor left
 * without their end when another instance takes over.
 *
 * <p>The lease is kept from one look to the next; otherwise every instance would have its turn.
 */
final class MonitorJob {
    static final String LEASE = "job/monitor";
    static final String MEMORY = "alerts_raised";

    /** Counting goes on a little beyond a threshold, so that the alert can say by how much it is exceeded. */
    private static final long LEAST_CAP = 100_000;

    private final AlertMonitor monitor;
    private final OutboxStore store;
    private final RelaySession session;
    private final JobLease lease;

    private long nextLook = System.nanoTime();

    MonitorJob(AlertMonitor monitor, String owner, OutboxStore store, RelaySession session, Duration leaseLength) {
        this.monitor = monitor;
        this.store = store;
        this.session = session;
        this.lease = new JobLease(
                LEASE, owner, store, session, leaseLength.plus(monitor.rules().interval()));
    }

    /**
     * Looks if it is time.
     *
     * @return how long to wait before the next step
     */
    Duration step() throws SQLException {
        long now = System.nanoTime();
        if (now - nextLook >= 0) {
            look();
            nextLook = now + monitor.rules().interval().toNanos();
        }
        return Duration.ofNanos(nextLook - now);
    }

    /**
     * @return whether this instance was the one to look
     */
    boolean look() throws SQLException {
        if (!lease.take()) {
            return false;
        }
        session.run(connection -> {
            String before = store.note(connection, MEMORY);
            String memory = before == null ? "" : before;
            String after = monitor.levels(levels(connection), memory, store.now(connection));
            if (!after.equals(memory)) {
                store.putNote(connection, MEMORY, after);
            }
        });
        return true;
    }

    private Levels levels(Connection connection) throws SQLException {
        AlertRules rules = monitor.rules();
        StatusStore status = store.statusStore(connection);
        Backlog backlog = status.backlog(connection, cap(rules.pending()));
        long failed = rules.failed() == AlertRules.OFF ? 0 : status.countFailed(connection, cap(rules.failed()));
        OutboxPause pause = OutboxPause.parse(store.note(connection, OutboxPause.SETTING));
        return new Levels(backlog.count(), failed, backlog.oldest(), pause);
    }

    private static int cap(long threshold) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(LEAST_CAP, threshold == AlertRules.OFF ? 0 : threshold + 1));
    }

    void stop() throws SQLException {
        lease.release();
    }
}
