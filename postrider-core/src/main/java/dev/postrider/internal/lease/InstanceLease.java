package dev.postrider.internal.lease;

import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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
public final class InstanceLease implements Ownership, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InstanceLease.class);
    private static final int RENEWALS_PER_LENGTH = 3;

    /** So often the deadline is looked at, at least. */
    private static final Duration LONGEST_WATCH = Duration.ofSeconds(1);

    /** Putting back what was claimed can be many rows. */
    private static final Duration LONG_RELEASE = Duration.ofSeconds(10);

    /** So long the end waits for a renewal under way. */
    private static final Duration LONGEST_RENEWAL = Duration.ofSeconds(3);

    private static final Duration SHORT = Duration.ofSeconds(1);

    private final String name;
    private final OutboxStore store;
    private final RelaySession session;
    private final Duration length;
    private final Supplier<String> state;
    private final AlsoRenewed alsoRenewed;
    private final Runnable onLapse;
    private final BooleanSupplier alive;
    private final BooleanSupplier paused;
    private final Service renewing;
    private final Service watching;

    private volatile String owner;
    private volatile long deadline;
    private volatile boolean closed;
    private boolean failing;
    private boolean letGo;
    private boolean lapseTold;

    /** Guards the session and every change of owner. */
    private final ReentrantLock lock = new ReentrantLock();

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
        this.alive = holdings.alive();
        this.paused = holdings.paused();
        this.owner = incarnation(name);
        this.renewing = Service.named("postrider-" + name + "-lease")
                .onFailure(this::notRenewed)
                .doing(this::renewIfAlive);
        this.watching = Service.named("postrider-" + name + "-watch")
                .onFailure(Service.tellOnce(log, "[" + name + "] the lease is not watched", LONGEST_WATCH))
                .doing(this::watch);
    }

    /**
     * What hangs on a relay's lease.
     *
     * @param state what others are shown of the relay, asked anew for each renewal
     * @param alsoRenewed what it holds beside
     * @param onLapse called as soon as the lease has lapsed, by a thread that waits for nothing else: must stop all
     *     publishing
     * @param alive whether there is still somebody who works under the lease; while there is not, it is not renewed
     * @param paused whether the outbox was paused when the lease was renewed last
     */
    public record Holdings(
            Supplier<String> state,
            AlsoRenewed alsoRenewed,
            Runnable onLapse,
            BooleanSupplier alive,
            BooleanSupplier paused) {
        public Holdings(Supplier<String> state, AlsoRenewed alsoRenewed, Runnable onLapse) {
            this(state, alsoRenewed, onLapse, () -> true, () -> false);
        }
    }

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

    @Override
    public boolean isPaused() {
        return paused.getAsBoolean();
    }

    /**
     * Goes on under a new name and gives up the old one. After a lapse, or a claim of which nobody
     * knows whether it took place, rows may stand under the old name that this relay does not know of:
     * they are put back, and what a claim still under way adds comes back like that of any dead relay.
     */
    @Override
    public void replace() throws SQLException {
        lock.lock();
        try {
            String old = owner;
            session.runWithTimeout(LONG_RELEASE, connection -> {
                store.releaseInstance(connection, old);
            });
            alsoRenewed.forget();
            owner = incarnation(name);
            renew();
        } finally {
            lock.unlock();
        }
    }

    private void renew() throws SQLException {
        lock.lock();
        try {
            long before = System.nanoTime();
            session.run(connection -> {
                store.renewInstance(connection, owner, length, state.get());
                alsoRenewed.renew(connection, owner, length);
            });
            // Stopping takes a moment too.
            deadline = before + length.toNanos() / 10 * 9;
        } finally {
            lock.unlock();
        }
    }

    /** A renewal may hang for as long as the network lets it; the lease ends all the same. */
    private long watch() {
        long left = deadline - System.nanoTime();
        if (left > 0) {
            lapseTold = false;
            return Math.min(left, LONGEST_WATCH.toNanos());
        }
        if (!lapseTold) {
            lapseTold = true;
            log.warn("[{}] the lease was not renewed in time: nothing is sent until it is", name);
            onLapse.run();
        }
        return interval();
    }

    private long interval() {
        return length.toNanos() / RENEWALS_PER_LENGTH;
    }

    /** A relay whose thread is dead or stands still must not keep from others what it does not deliver itself. */
    private long renewIfAlive() throws SQLException {
        if (!alive.getAsBoolean()) {
            if (!letGo) {
                log.error("[{}] the relay makes no progress: other relays may take its lease until it goes on", name);
            }
            letGo = true;
            return interval();
        }
        if (letGo) {
            // What others have taken meanwhile is not this relay's; its own thread takes a new name.
            letGo = false;
            return interval();
        }
        renewUnlessClosed();
        if (failing) {
            log.info("[{}] lease renewed again", name);
        }
        failing = false;
        return interval();
    }

    private long notRenewed(Throwable e, boolean again) {
        if (!again && !closed) {
            if (e instanceof Error) {
                log.error("[{}] lease not renewed, trying again", name, e);
            } else {
                log.warn("[{}] lease not renewed, trying again: {}", name, e.getMessage());
            }
        }
        failing = true;
        return interval();
    }

    /** A renewal after the release would leave a lease that nobody holds. */
    private void renewUnlessClosed() throws SQLException {
        lock.lock();
        try {
            if (!closed) {
                renew();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops renewing and gives the lease up, so that others need not wait for it to expire. */
    @Override
    public void close() {
        end(true);
    }

    /**
     * Stops renewing and lets the lease expire: what was being done under it counts as that of a relay that has died. For one
     * that cannot say what it was doing, and may do the same again.
     */
    public void abandon() {
        end(false);
    }

    private void end(boolean release) {
        closed = true;
        renewing.askToStop();
        watching.askToStop();
        boolean free = false;
        try {
            free = lock.tryLock(LONGEST_RENEWAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!free) {
            log.warn("[{}] lease not released, it expires by itself: the database does not answer", name);
            session.abort();
        } else {
            try {
                if (release) {
                    release();
                }
                session.close();
            } finally {
                lock.unlock();
            }
        }
        renewing.stop(SHORT);
        watching.stop(SHORT);
    }

    private void release() {
        try {
            session.hurry();
            session.run(connection -> {
                store.releaseInstance(connection, owner);
            });
        } catch (SQLException | RuntimeException e) {
            log.warn("[{}] lease not released, it expires by itself: {}", name, e.getMessage());
        }
    }

    private static String incarnation(String name) {
        return name + "#" + UUID.randomUUID().toString().substring(0, 8);
    }
}
