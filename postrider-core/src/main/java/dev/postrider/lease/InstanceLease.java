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
public final class InstanceLease implements Tenure, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InstanceLease.class);
    private static final int RENEWALS_PER_LENGTH = 3;

    private final String name;
    private final OutboxStore store;
    private final RelaySession session;
    private final Duration length;
    private final Supplier<String> state;
    private final AlsoRenewed alsoRenewed;
    private final Runnable onLapse;
    private final Thread renewing;
    private final Thread watching;

    private volatile String owner;
    private volatile long deadline;
    private volatile boolean closed;

    /** Guards the session and every change of owner. */
    private final Object lock = new Object();

    /**
     * @param holdings what else is renewed with it
     */
    public InstanceLease(String name, OutboxStore store, RelaySession session, Duration length, Holdings holdings) {
        this.name = name;
        this.store = store;
        this.session = session;
        this.length = length;
        this.state = holdings.state();
        this.alsoRenewed = holdings.alsoRenewed();
        this.onLapse = holdings.onLapse();
        this.owner = incarnation(name);
        this.renewing = new Thread(this::renewUntilClosed, "postrider-" + name + "-lease");
        this.renewing.setDaemon(true);
        this.watching = new Thread(this::watchUntilClosed, "postrider-" + name + "-watch");
        this.watching.setDaemon(true);
    }

    /**
     * What hangs on a relay's lease.
     *
     * @param state what others are shown of the relay, asked anew for each renewal
     * @param alsoRenewed what it holds beside
     * @param onLapse called as soon as the lease has lapsed, by a thread that waits for nothing else: must stop all
     *     publishing
     */
    public record Holdings(Supplier<String> state, AlsoRenewed alsoRenewed, Runnable onLapse) {}

    /** Takes the lease for the first time; nothing may be claimed before. */
    public void start() throws SQLException {
        renew();
        renewing.start();
        watching.start();
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public boolean holds() {
        return System.nanoTime() - deadline < 0;
    }

    /**
     * Goes on under a new name and gives up the old one. After a lapse, or a claim of which nobody
     * knows whether it took place, rows may stand under the old name that this relay does not know of:
     * they are put back, and what a claim still under way adds comes back like that of any dead relay.
     */
    @Override
    public void replace() throws SQLException {
        synchronized (lock) {
            String old = owner;
            session.call(connection -> {
                store.releaseInstance(connection, old);
                return null;
            });
            alsoRenewed.forget();
            owner = incarnation(name);
            renew();
        }
    }

    private void renew() throws SQLException {
        synchronized (lock) {
            long before = System.nanoTime();
            session.call(connection -> {
                store.renewInstance(connection, owner, length, state.get());
                alsoRenewed.renew(connection, owner, length);
                return null;
            });
            // Stopping takes a moment too.
            deadline = before + length.toNanos() / 10 * 9;
        }
    }

    /** A renewal may hang for as long as the network lets it; the lease ends all the same. */
    private void watchUntilClosed() {
        boolean told = false;
        while (!closed) {
            long left = deadline - System.nanoTime();
            if (left > 0) {
                told = false;
            } else if (!told) {
                told = true;
                log.warn("[{}] the lease could not be renewed in time: nothing is sent until it is", name);
                onLapse.run();
            }
            pause(left > 0 ? left / 1_000_000 + 1 : length.toMillis() / RENEWALS_PER_LENGTH);
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
            pause(length.toMillis() / RENEWALS_PER_LENGTH);
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

    private void pause(long millis) {
        synchronized (this) {
            if (!closed) {
                try {
                    wait(Math.max(1, millis));
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
