package dev.postrider;

import dev.postrider.RelayState.Phase;
import dev.postrider.internal.lifecycle.Restarts;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a relay going, on a thread of its own: puts it together, waits while its database cannot be reached, and puts it
 * together anew after an {@code Error} has ended its loop. At the end it takes it apart; whoever wants that need not wait
 * for longer than they like.
 */
final class Supervisor {
    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
    private static final long IDLE = Duration.ofSeconds(5).toNanos();
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final String name;
    private final OutboxTable table;
    private final Assembly assembly;
    private final Runnable atEnd;
    private final Service service;
    private final Restarts restarts = new Restarts();

    /** Done when it is known how the first attempt has ended. */
    private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();

    private Duration wait = SHORTEST_WAIT;
    private volatile @Nullable Running running;
    private volatile @Nullable Error broken;
    private volatile Situation situation = new Situation(Phase.WAITING, null, System.nanoTime());

    /** Puts a relay together. */
    @FunctionalInterface
    interface Assembly {
        /**
         * @param onBreak to be told when the relay cannot go on
         * @throws PostriderException if the outbox cannot be used; its cause is the database's error, if there was one
         */
        Running assemble(Consumer<Error> onBreak);
    }

    /** What it is at, why, and since when. */
    record Situation(Phase phase, @Nullable String reason, long sinceNanos) {}

    /**
     * @param atEnd done last, after the relay was taken apart for good
     */
    Supervisor(String name, OutboxTable table, Assembly assembly, Runnable atEnd) {
        this.name = name;
        this.table = table;
        this.assembly = assembly;
        this.atEnd = atEnd;
        this.service = Service.named("postrider-" + name + "-supervisor")
                .keepsProcessAlive()
                .atEnd(this::end)
                .doing(this::pass);
    }

    /**
     * Returns when the relay runs, or waits for its database.
     *
     * @throws PostriderException if the outbox cannot be used, for a reason that waiting does not change
     */
    void start() {
        service.start();
        try {
            begun.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Nullable
    Running running() {
        return running;
    }

    Situation situation() {
        return situation;
    }

    /**
     * @return whether all was done in time; the rest goes on behind the caller's back
     */
    boolean stop(Duration patience) {
        boolean ended = service.stop(patience);
        if (!ended) {
            log.warn("[{}] the relay does not stop in time; it waits here: {}", name, service.whereabouts());
        }
        return ended;
    }

    private long pass() {
        Running now = running;
        Error error = broken;
        if (now != null && error != null) {
            takeApart(now, error);
        } else if (now != null) {
            return IDLE;
        }
        return restarts.isOver() ? begin() : restarts.nanosLeft();
    }

    private void takeApart(Running now, Error error) {
        Duration delay = restarts.failed();
        enter(Phase.RESTARTING, error.toString());
        log.error(
                "[{}] the relay failed; it releases everything and starts again in {} s",
                name,
                delay.toSeconds(),
                error);
        running = null;
        broken = null;
        now.abandon();
    }

    private long begin() {
        try {
            Running fresh = assembly.assemble(this::broke);
            running = fresh;
            fresh.start();
            restarts.started();
            wait = SHORTEST_WAIT;
            enter(Phase.RUNNING, null);
            log.info(
                    "[{}] relay started on outbox {} as {}",
                    name,
                    table,
                    fresh.lease().owner());
            begun.complete(null);
            return IDLE;
        } catch (RuntimeException | Error e) {
            return notBegun(e);
        }
    }

    private long notBegun(Throwable e) {
        Running halfway = running;
        running = null;
        if (halfway != null) {
            halfway.abandon();
        }
        if (isUnreachable(e)) {
            if (situation.phase() != Phase.WAITING || situation.reason() == null) {
                log.warn("[{}] waits for its database: {}", name, e.getMessage());
            }
            enter(Phase.WAITING, e.getMessage());
            begun.complete(null);
            long nanos = wait.toNanos();
            wait = wait.multipliedBy(2).compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait.multipliedBy(2);
            return nanos;
        }
        if (begun.completeExceptionally(e)) {
            return Service.END;
        }
        Duration delay = restarts.failed();
        log.error("[{}] the relay cannot start, next try in {} s: {}", name, delay.toSeconds(), e.toString());
        enter(Phase.RESTARTING, e.getMessage());
        return delay.toNanos();
    }

    private static boolean isUnreachable(Throwable e) {
        return e instanceof PostriderException
                && e.getCause() instanceof SQLException cause
                && SqlErrors.isUnreachable(cause);
    }

    /** On the relay's thread. */
    private void broke(Error error) {
        broken = error;
        service.wake();
    }

    private void enter(Phase phase, @Nullable String reason) {
        Situation before = situation;
        boolean same = before.phase() == phase && before.reason() != null && reason != null;
        situation = new Situation(phase, reason, same ? before.sinceNanos() : System.nanoTime());
    }

    private void end() {
        // Whoever waits for the start is not left alone, if this was stopped meanwhile.
        begun.complete(null);
        if (!service.isStopping()) {
            return;
        }
        try {
            Running ending = running;
            running = null;
            if (ending != null && broken == null) {
                ending.stop();
            } else if (ending != null) {
                ending.abandon();
            }
        } finally {
            atEnd.run();
            enter(Phase.STOPPED, null);
        }
    }
}
