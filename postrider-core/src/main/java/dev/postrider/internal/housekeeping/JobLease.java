package dev.postrider.internal.housekeeping;

import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The right to do one job of an outbox: a row that expires by the database's clock, so that only one
 * instance does it at a time. Not a fence: a job must do no harm if, after a pause of the process, two
 * do it for a moment. Used by the housekeeper's thread.
 */
final class JobLease {
    private final String name;
    private final String owner;
    private final OutboxStore store;
    private final RelaySession session;
    private final Duration length;

    private boolean taken;
    private long renewAt;

    JobLease(String name, String owner, OutboxStore store, RelaySession session, Duration length) {
        this.name = name;
        this.owner = owner;
        this.store = store;
        this.session = session;
        this.length = length;
    }

    /** Takes or prolongs it. */
    boolean take() throws SQLException {
        long before = System.nanoTime();
        taken = session.call(connection -> store.tryLease(connection, name, owner, length));
        renewAt = before + length.toNanos() / 3;
        return taken;
    }

    /** Prolongs it if that is due, and says whether the job may go on. */
    boolean keep() throws SQLException {
        return taken && (System.nanoTime() - renewAt < 0 || take());
    }

    void release() throws SQLException {
        if (taken) {
            taken = false;
            session.run(connection -> {
                store.releaseLease(connection, name, owner);
            });
        }
    }
}
