package dev.postrider.publish.handler;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers at work, a limited number at a time, and the events that wait for their turn.
 *
 * <p>Three ways out for an event that was begun, and the first one counts: its handler returns, its time is over, or the
 * publisher is halted. After the last two the handler is interrupted and <em>left behind</em>: its place is free for others,
 * what it returns is not heard any more, and until it returns nothing of its key is begun. So the events of a key are handled
 * one at a time, whether or not handlers heed their interruption. A type that has left behind as many handlers as may be at work
 * gets no more: the number of threads is bounded, and other types go on. Where there are several types, of one whose events
 * {@linkplain BusyTypes wait for long} only a few wait here; the others are answered as blocked and wait in the outbox.
 *
 * <p>The relay's thread submits, handlers' threads and the JDK's timer answer, any thread halts. Nothing foreign is called under
 * the lock.
 */
final class Runs {
    private static final Logger log = LoggerFactory.getLogger(Runs.class);

    private static final int MOST_TOLD = 100;

    private final Executor executor;
    private final int concurrency;
    private final Duration timeout;

    /** What fails for one type says nothing of the others: no outage of the whole is concluded from it. */
    private final boolean severalTypes;

    // ---- guarded by this
    private final Map<String, Deque<Run>> waiting = new LinkedHashMap<>();
    private final Set<Run> atWork = new LinkedHashSet<>();
    private final Set<Run> leftBehind = new LinkedHashSet<>();
    private final BusyTypes busy;
    private boolean halted;
    private boolean closed;

    private volatile Runnable wake = () -> {};

    Runs(Executor executor, int concurrency, Duration timeout, boolean severalTypes) {
        this.executor = executor;
        this.concurrency = concurrency;
        this.timeout = timeout;
        this.severalTypes = severalTypes;
        this.busy = new BusyTypes(concurrency);
    }

    void onRelease(Runnable wake) {
        this.wake = wake;
    }

    CompletionStage<PublishResult> submit(OutboxEvent event, String type, HandlerPublisher.Handler handler) {
        Run run = new Run(event, type, handler);
        synchronized (this) {
            if (halted) {
                return CompletableFuture.completedFuture(new PublishResult.Unresolved());
            }
            busy.look(type, waiting(type), System.nanoTime());
            if (waiting(type) >= busy.limit(type)) {
                return CompletableFuture.completedFuture(blocked(type));
            }
            waiting.computeIfAbsent(type, any -> new ArrayDeque<>()).add(run);
        }
        beginWaiting();
        return run.answer;
    }

    private int waiting(String type) {
        Deque<Run> ofType = waiting.get(type);
        return ofType == null ? 0 : ofType.size();
    }

    private static PublishResult blocked(String type) {
        return new PublishResult.Blocked(type, "busy", "The handlers of [" + type + "] are busy with earlier events.");
    }

    /** Events of types that turn out to be slow go back to the outbox, but for a few. */
    void returnLate() {
        if (!severalTypes) {
            return;
        }
        List<Run> late = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            waiting.forEach((type, ofType) -> {
                if (now - ofType.element().submittedAt > BusyTypes.PATIENCE) {
                    busy.add(type, now);
                    while (ofType.size() > busy.limit(type)) {
                        // The last ones: those before them are of the same keys, or of none of theirs.
                        late.add(ofType.removeLast());
                    }
                }
            });
        }
        late.forEach(run -> run.answer(blocked(run.type)));
    }

    /** As of a publisher. */
    synchronized int releasable(String type) {
        busy.look(type, waiting(type), System.nanoTime());
        return busy.contains(type) ? Math.max(0, busy.limit(type) - waiting(type)) : Integer.MAX_VALUE;
    }

    /** As of a publisher. */
    synchronized Map<String, String> blocked() {
        Map<String, String> blocked = new LinkedHashMap<>();
        busy.names().stream()
                .filter(type -> waiting(type) >= busy.limit(type))
                .limit(MOST_TOLD)
                .forEach(type -> blocked.put(type, "busy"));
        return blocked;
    }

    private void beginWaiting() {
        boolean again = true;
        while (again) {
            List<Run> refused = new ArrayList<>();
            List<Run> next = new ArrayList<>();
            boolean more = false;
            synchronized (this) {
                while (atWork.size() < concurrency && !waiting.isEmpty()) {
                    Run run = takeFairly();
                    more |= busy.waits(run.type, waiting(run.type), System.nanoTime());
                    if (isInTheWay(run)) {
                        refused.add(run);
                    } else {
                        atWork.add(run);
                        next.add(run);
                    }
                }
            }
            refused.forEach(run -> run.answer(stillRunning(run)));
            if (more) {
                wake.run();
            }
            again = false;
            for (Run run : next) {
                again |= !begin(run);
            }
        }
    }

    /** Of the type with the fewest at work: one whose handlers take long does not have all the places for long. */
    private Run takeFairly() {
        Map<String, Integer> atWorkByType = new HashMap<>();
        atWork.forEach(run -> atWorkByType.merge(run.type, 1, Integer::sum));
        String type = waiting.keySet().stream()
                .min(Comparator.comparing(one -> atWorkByType.getOrDefault(one, 0)))
                .orElseThrow();
        Deque<Run> ofType = Objects.requireNonNull(waiting.get(type));
        Run run = ofType.remove();
        if (ofType.isEmpty()) {
            waiting.remove(type);
        }
        return run;
    }

    private boolean isInTheWay(Run run) {
        int ofType = 0;
        for (Run left : leftBehind) {
            if (left.key.equals(run.key)) {
                return true;
            }
            ofType += left.type.equals(run.type) ? 1 : 0;
        }
        return ofType >= concurrency;
    }

    private static PublishResult stillRunning(Run run) {
        return new PublishResult.Unavailable(
                "still-running",
                "A handler of [" + run.type
                        + "] that was interrupted has not returned, be it for this event, for an earlier"
                        + " one of its key, or for too many others: handlers have to heed Thread.interrupt().",
                null,
                true);
    }

    /**
     * @return false if its place is free again
     */
    private boolean begin(Run run) {
        try {
            run.ringAfter(timeout, () -> timeIsOver(run));
            executor.execute(() -> handle(run));
            return true;
        } catch (RuntimeException | Error e) {
            // No thread for it, or an executor that was closed.
            if (leave(run)) {
                run.answer(new PublishResult.Unavailable("no-thread", "No thread takes the handler: " + e));
            }
            return false;
        }
    }

    private void handle(Run run) {
        synchronized (this) {
            if (!atWork.contains(run)) {
                // Given up before it began.
                return;
            }
            run.thread = Thread.currentThread();
        }
        // Should even the answer fail, for want of memory for instance.
        PublishResult result = new PublishResult.Rejected("error", "The handler has failed.", false);
        try {
            run.handler.handle(run.event);
            result = new PublishResult.Accepted();
        } catch (Throwable e) {
            result = HandlerFailures.resultOf(e, severalTypes);
        } finally {
            finish(run, result);
        }
    }

    private void finish(Run run, PublishResult result) {
        boolean inTime;
        synchronized (this) {
            run.thread = null;
            leftBehind.remove(run);
            inTime = leave(run);
        }
        if (inTime) {
            run.answer(result);
        } else {
            // It was for this event, not for the thread's next work; and nobody interrupts for this one any more.
            Thread.interrupted();
            log.info("The handler of event {} of type {} has returned after all", run.event.id(), run.type);
        }
        beginWaiting();
    }

    private void timeIsOver(Run run) {
        boolean begun;
        synchronized (this) {
            begun = run.thread != null;
            if (!leave(run)) {
                return;
            }
            leaveBehind(run);
        }
        if (begun) {
            log.warn(
                    "The handler of event {} of type {} has not returned within {} ms and is interrupted",
                    run.event.id(),
                    run.type,
                    timeout.toMillis());
        }
        run.answer(
                begun
                        ? new PublishResult.Unavailable(
                                "timeout",
                                "The handler of [" + run.type + "] has not returned within " + timeout.toMillis()
                                        + " ms.",
                                null,
                                severalTypes)
                        : new PublishResult.Unavailable(
                                "no-thread",
                                "No thread has taken the handler of [" + run.type + "] within " + timeout.toMillis()
                                        + " ms: the executor has fewer threads than the publisher's concurrency."));
        beginWaiting();
    }

    /**
     * @return whether it was at work: then its answer is the caller's to give
     */
    private synchronized boolean leave(Run run) {
        return atWork.remove(run);
    }

    /** Under the lock, so that the thread cannot have gone on to something else. */
    private void leaveBehind(Run run) {
        if (run.thread != null) {
            leftBehind.add(run);
            run.thread.interrupt();
        }
    }

    /** What no thread has begun is unresolved; handlers at work go on. */
    void returnUnstarted() {
        List<Run> givenBack = new ArrayList<>();
        synchronized (this) {
            atWork.stream().filter(run -> run.thread == null).forEach(givenBack::add);
            givenBack.forEach(atWork::remove);
            waiting.values().forEach(givenBack::addAll);
            waiting.clear();
        }
        givenBack.forEach(run -> run.answer(new PublishResult.Unresolved()));
    }

    void halt() {
        List<Run> givenUp = new ArrayList<>();
        synchronized (this) {
            halted = true;
            givenUp.addAll(atWork);
            waiting.values().forEach(givenUp::addAll);
            atWork.forEach(this::leaveBehind);
            atWork.clear();
            waiting.clear();
        }
        givenUp.forEach(run -> run.answer(new PublishResult.Unresolved()));
    }

    synchronized void resume() {
        halted = closed;
    }

    void close() {
        synchronized (this) {
            closed = true;
        }
        halt();
    }
}
