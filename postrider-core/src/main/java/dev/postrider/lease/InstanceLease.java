package dev.postrider.lease;

import dev.postrider.store.OutboxStore;
import dev.postrider.store.jdbc.RelaySession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says to everybody that this relay is alive: a row that expires by the database's clock and is
 * renewed three times within its length, by a thread of its own so that slow work elsewhere does not
 * let it lapse. When it has lapsed, others may take back what this relay had claimed.
 *
 * <p>The deadline is counted from before a renewal was sent, so this side always stops before the
 * database thinks it has.
 */
public final class InstanceLease implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InstanceLease.class);
    private static final int RENEWALS_PER_LENGTH = 3;

    private final String name;
    private final OutboxStore store;
    private final RelaySession session;
    private final Duration length;
    private final Supplier<String> state;
    private final Thread renewing;

    private volatile String owner;
    private volatile long deadline;
    private volatile boolean closed;

    /** Guards the session and every change of owner. */
    private final Object lock = new Object();

    /**
     * @param state what others are shown of the relay, asked anew for each renewal
     */
    public InstanceLease(
            String name, OutboxStore store, RelaySession session, Duration length, Supplier<String> state) {
        this.name = name;
        this.store = store;
        this.session = session;
        this.length = length;
        this.state = state;
        this.owner = incarnation(name);
        this.renewing = new Thread(this::renewUntilClosed, "postrider-" + name + "-lease");
        this.renewing.setDaemon(true);
    }

    /** Takes the lease for the first time; nothing may be claimed before. */
    public void start() throws SQLException {
        renew();
        renewing.start();
    }

    /** The name under which this relay claims at the moment. */
    public String owner() {
        return owner;
    }

    /** Whether the lease is certain to hold at this moment. */
    public boolean holds() {
        return System.nanoTime() - deadline < 0;
    }

    /**
     * Goes on under a new name and gives up the old one. After a lapse, or a claim of which nobody
     * knows whether it took place, rows may stand under the old name that this relay does not know of:
     * they are put back, and what a claim still under way adds comes back like that of any dead relay.
     */
    public void replace() throws SQLException {
        synchronized (lock) {
            String old = owner;
            session.call(connection -> {
                store.releaseInstance(connection, old);
                return null;
            });
            owner = incarnation(name);
            renew();
        }
    }

    private void renew() throws SQLException {
        synchronized (lock) {
            long before = System.nanoTime();
            session.call(connection -> {
                store.renewInstance(connection, owner, length, state.get());
                return null;
            });
            deadline = before + length.toNanos();
        }
    }

    private void renewUntilClosed() {
        boolean failing = false;
        while (!closed) {
            try {
                renewUnlessClosed();
                if (failing) {
                    log.info("[{}] lease renewed again", name);
                }
                failing = false;
            } catch (SQLException | RuntimeException e) {
                if (!failing && !closed) {
                    log.warn("[{}] lease not renewed, trying again: {}", name, e.getMessage());
                }
                failing = true;
            }
            pause();
        }
    }

    /** A renewal after the release would leave a lease that nobody holds. */
    private void renewUnlessClosed() throws SQLException {
        synchronized (lock) {
            if (!closed) {
                renew();
            }
        }
    }

    private void pause() {
        synchronized (this) {
            if (!closed) {
                try {
                    wait(Math.max(1, length.toMillis() / RENEWALS_PER_LENGTH));
                } catch (InterruptedException e) {
                    closed = true;
                }
            }
        }
    }

    /** Stops renewing and gives the lease up, so that others need not wait for it to expire. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        synchronized (lock) {
            try {
                session.call(connection -> {
                    store.releaseInstance(connection, owner);
                    return null;
                });
            } catch (SQLException | RuntimeException e) {
                log.warn("[{}] lease not released, it expires by itself: {}", name, e.getMessage());
            }
            session.close();
        }
    }

    private static String incarnation(String name) {
        return name + "#" + UUID.randomUUID().toString().substring(0, 8);
    }
}
