package dev.postrider.internal.relay;

import dev.postrider.BatchReport;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.source.EventSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One loop with its source and its publisher, on one thread. An {@code Error} ends the loop, because nobody knows what is left
 * undone: whoever made the worker is told, abandons it, and makes another.
 */
public final class LoopWorker implements Worker {
    private static final Logger log = LoggerFactory.getLogger(LoopWorker.class);

    /** How long a thread may take to notice that its session was cut. */
    private static final Duration MOMENT = Duration.ofSeconds(2);

    /** How long answers are waited for that nobody will use: until then another loop must not send. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final RelayLoop loop;
    private final EventSource source;
    private final Line line;
    private final Service service;
    private volatile @Nullable Error failure;

    /**
     * What a worker does with its publisher, and who is told if it breaks.
     *
     * @param halt gives up what is in flight
     * @param release lets go of it at the end
     * @param onBreak told on the worker's thread
     */
    public record Line(Runnable halt, Runnable release, Consumer<Error> onBreak) {}

    public LoopWorker(String threadName, RelayLoop loop, EventSource source, Line line) {
        this.loop = loop;
        this.source = source;
        this.line = line;
        this.service = Service.named(threadName)
                .keepsProcessAlive()
                .wokenBy(loop.wakeup())
                .onFailure((error, again) -> failed(error))
                .doing(loop::pass);
    }

    private long failed(Throwable thrown) {
        Error error;
        try {
            if (thrown instanceof Exception e) {
                return loop.goOnAfter(e);
            }
            error = thrown instanceof Error e ? e : new AssertionError(thrown);
        } catch (Error e) {
            error = e;
        }
        failure = error;
        line.onBreak().accept(error);
        return Service.END;
    }

    @Override
    public void start() {
        loop.progress().step();
        service.start();
    }

    @Override
    public void nudge() {
        loop.nudge();
    }

    @Override
    public BatchReport runOnce() throws SQLException, InterruptedException {
        return loop.runOnce();
    }

    @Override
    public void halt() {
        loop.haltNow();
    }

    @Override
    public String circuit() {
        return loop.circuit();
    }

    Circuit circuitInUse() {
        return loop.circuitInUse();
    }

    /** Whether an event was accepted since then, by {@link System#nanoTime}. */
    boolean hasAcceptedSince(long nanos) {
        return loop.circuitInUse().hasAcceptedSince(nanos);
    }

    @Override
    public @Nullable Duration noAnswerFor() {
        return loop.noAnswerFor();
    }

    @Override
    public boolean isTurning(Duration limit) {
        if (!service.isStarted()) {
            return true;
        }
        return service.isAlive() ? !loop.progress().hasStoppedFor(limit) : failure == null;
    }

    @Override
    public Duration sinceLastStep() {
        return loop.progress().sinceStep();
    }

    @Override
    public void unblock() {
        log.error("A relay's loop makes no progress; it waits here: {}", service.whereabouts());
        source.unblock();
        // Through the loop, which resumes the line once everything is answered.
        Thread halting = new Thread(loop::haltNow, "postrider-halt");
        halting.setDaemon(true);
        halting.start();
    }

    @Override
    public void stop() {
        askToStop();
        if (failure != null) {
            abandon();
            return;
        }
        Duration patience = loop.drainTimeout().plus(RelayLoop.LAST_SETTLEMENTS).plus(MOMENT);
        if (service.awaitEnd(patience)) {
            // What is still to be recorded may need the publisher.
            source.close();
        } else {
            // Whatever it waits for at the database ends now.
            source.abandon();
            if (!service.stop(MOMENT)) {
                log.warn("A thread did not stop in time and is left behind: {}", service.whereabouts());
            }
        }
        line.release().run();
    }

    /** As {@link #stop}, but does not wait for it. */
    void askToStop() {
        loop.stop();
    }

    /** Records nothing; waits only for the publisher to give back what it has. */
    @Override
    public void abandon() {
        source.abandon();
        line.halt().run();
        if (!service.stop(MOMENT)) {
            log.warn("A thread did not stop in time and is left behind: {}", service.whereabouts());
        }
        awaitLastAnswers();
        line.release().run();
    }

    /** Nobody else is woken by answers any more, unless the loop's thread was left behind. */
    private void awaitLastAnswers() {
        long deadline = System.nanoTime() + LAST_ANSWERS.toNanos();
        try {
            for (long left = LAST_ANSWERS.toNanos();
                    left > 0 && loop.unanswered() > 0;
                    left = deadline - System.nanoTime()) {
                loop.wakeup().await(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it has ended by itself. */
    boolean hasEnded() {
        return service.isStarted() && !service.isAlive();
    }

    /** Why it has ended, if it should not have. */
    @Nullable
    Error failure() {
        return failure;
    }
}
