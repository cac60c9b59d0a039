package dev.postrider.internal.relay;

import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The events a relay has fetched and not yet heard of, in one lane per key.
 *
 * <p>What it guarantees: once an event of a key has not been accepted, no later event of that key is
 * handed to the publisher; and events of a key are with the publisher together only if they go to
 * the same destination and the publisher says they may. The rest wait in their lane. Between {@link #halt} and {@link
 * #resume} nothing is handed over, whatever the publisher does when it is halted.
 *
 * <p>The relay's thread calls everything but {@link #halt}; the publisher's threads only append to the queue of results.
 */
final class InFlight {
    private final Publisher publisher;
    private final boolean ordered;
    private final Runnable beforeEach;
    private final Runnable onResult;
    private final Map<Long, Lane> lanes = new HashMap<>();
    private final Queue<Completed> results = new ConcurrentLinkedQueue<>();

    /** Lanes that wait until something is known of a destination; and those groups of them that need not any more. */
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

    private final Queue<Waiting> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private int size;
    private @Nullable String last;
    private boolean several;
    private boolean followers;
    private volatile boolean halted;

    /** Rows of events that are with the publisher, the first one handed over first, and when that was. */
    private final Map<Long, Long> handedOver = new LinkedHashMap<>();

    /** Why an answer could not be passed on. */
    private volatile @Nullable Error lost;

    /**
     * @param beforeEach called before an event is handed over: a publisher may be slow with each of them
     * @param onResult called on any thread when there is something to collect
     */
    InFlight(Publisher publisher, boolean ordered, Runnable beforeEach, Runnable onResult) {
        this.publisher = publisher;
        this.ordered = ordered;
        this.beforeEach = beforeEach;
        this.onResult = onResult;
    }

    /**
     * An event whose fate is known.
     *
     * @param handedOver whether the publisher was given it
     * @param refusedAlone whether it was refused before it was sent, while nothing else of its key was with the publisher: that
     *     says nothing of what is
     * @param handedOverNanos when
     * @param atNanos when it answered
     */
    record Completed(
            StoredEvent stored,
            PublishResult result,
            boolean handedOver,
            boolean refusedAlone,
            long handedOverNanos,
            long atNanos,
            @Nullable Lane lane) {
        Completed(StoredEvent stored, PublishResult result, @Nullable Lane lane, long atNanos) {
            this(stored, result, false, false, atNanos, atNanos, lane);
        }

        /** Never handed to the publisher. */
        Completed(StoredEvent stored, PublishResult result, long atNanos) {
            this(stored, result, null, atNanos);
        }
    }

    /** The events of one key, in order. */
    static final class Lane {
        private final long key;

        /** Small at first: most keys have one event at a time. */
        final Deque<StoredEvent> waiting = new ArrayDeque<>(1);

        int atPublisher;

        @Nullable
        String destination;

        boolean failed;

        /** Nothing is known yet of where its first event goes, or something has just become known. */
        boolean waits;

        /** Where it waits for that. */
        @Nullable
        Waiting group;

        private Lane(long key) {
            this.key = key;
        }

        void take() {
            waiting.remove();
            atPublisher++;
        }
    }

    /**
     * Lanes that wait for one destination, in the order in which they came: so they go on, and whoever comes meanwhile goes
     * behind them.
     */
    private static final class Waiting {
        final String destination;
        final Set<Lane> lanes = new LinkedHashSet<>();

        Waiting(String destination) {
            this.destination = destination;
        }
    }

    /** How many events are with the publisher or wait in a lane. */
    int size() {
        return size;
    }

    /** How many events are with the publisher. Any thread. */
    int unanswered() {
        return unanswered.get();
    }

    /** What is with the publisher: rows and when they were handed over, the oldest first. */
    Map<Long, Long> handedOver() {
        return handedOver;
    }

    /** Hands nothing over until {@link #resume}: what is added, or waits in a lane, is unresolved. Any thread. */
    void halt() {
        halted = true;
    }

    /** Only when every event has come back: otherwise one of a key could overtake those that were not handed over. */
    void resume() {
        halted = false;
    }

    /** Takes an event on; it comes back from {@link #collect} sooner or later. */
    void add(StoredEvent stored) {
        size++;
        String destination = ordered ? null : destinationOf(stored);
        if (!ordered && (destination == null || mayGoTo(destination))) {
            publish(stored, destination, null);
            return;
        }
        long key = stored.claim().keyHash();
        Lane lane = ordered ? lanes.computeIfAbsent(key, Lane::new) : new Lane(key);
        lane.waiting.add(stored);
        advance(lane);
    }

    /** What has become known since the last call, and the lanes moved on accordingly. */
    List<Completed> collect() {
        Error noAnswer = lost;
        if (noAnswer != null) {
            throw noAnswer;
        }
        for (Waiting group = ready.poll(); group != null; group = ready.poll()) {
            // Another group may wait there by now.
            if (waiting.remove(group.destination, group)) {
                letGo(group);
                group.lanes.forEach(this::advance);
            }
        }
        List<Completed> completed = new ArrayList<>();
        for (Completed result = results.poll(); result != null; result = results.poll()) {
            completed.add(result);
            handedOver.remove(result.stored().claim().id());
            size--;
            if (result.lane() != null) {
                leave(result.lane(), result);
            }
        }
        return completed;
    }

    /** Nothing will be sent for the moment, so nothing has to be found out for it either. */
    void giveUpWaiting() {
        for (Lane lane : stopWaiting()) {
            lane.failed = true;
            advance(lane);
        }
    }

    private static void letGo(Waiting group) {
        group.lanes.forEach(lane -> lane.group = null);
    }

    private Set<Lane> stopWaiting() {
        Set<Lane> all = new LinkedHashSet<>();
        for (Waiting group : waiting.values()) {
            letGo(group);
            all.addAll(group.lanes);
        }
        waiting.clear();
        return all;
    }

    /**
     * Gives back what has not been handed to the publisher; the next {@link #collect} has it. Nothing has failed by that: what
     * comes later of a key may follow what is still with the publisher.
     */
    void giveBackUnsent() {
        Set<Lane> all = stopWaiting();
        all.addAll(lanes.values());
        long now = System.nanoTime();
        for (Lane lane : all) {
            lane.waits = false;
            for (StoredEvent next = lane.waiting.poll(); next != null; next = lane.waiting.poll()) {
                complete(new Completed(next, new PublishResult.Unresolved(), now));
            }
            if (lane.atPublisher == 0) {
                lanes.remove(lane.key, lane);
            }
        }
    }

    private void leave(Lane lane, Completed completed) {
        lane.atPublisher--;
        if (!(completed.result() instanceof PublishResult.Accepted)) {
            lane.failed = true;
        }
        advance(lane);
        if (lane.atPublisher == 0 && lane.waiting.isEmpty()) {
            lanes.remove(lane.key, lane);
        }
    }

    /** Hands over what may go now, or gives back everything behind an event that failed. */
    private void advance(Lane lane) {
        StoredEvent next;
        while ((next = lane.waiting.peek()) != null) {
            if (lane.failed) {
                lane.take();
                complete(new Completed(next, new PublishResult.Unresolved(), lane, System.nanoTime()));
                continue;
            }
            String destination = destinationOf(next);
            if (lane.atPublisher > 0 && !mayFollow(lane, next, destination)) {
                return;
            }
            if (destination != null && !lane.waits && !mayGoTo(destination)) {
                await(lane, destination);
                return;
            }
            if (lane.group != null) {
                return;
            }
            followers |= lane.atPublisher > 0;
            // Once it has waited, publishing has an answer.
            lane.waits = false;
            lane.take();
            lane.destination = destination;
            // An event that is refused at once must be known before the next one is handed over.
            lane.failed = !publish(next, destination, lane);
        }
    }

    private boolean isReady(String destination) {
        try {
            return publisher.ready(destination).toCompletableFuture().isDone();
        } catch (RuntimeException | LinkageError e) {
            // Publishing answers for it.
            return true;
        }
    }

    /** Nobody waits for the destination any more. */
    private boolean mayGoTo(String destination) {
        return !waiting.containsKey(destination) && isReady(destination);
    }

    /** One callback for all lanes of a destination: those of a future are called in no order that could be relied on. */
    private void await(Lane lane, String destination) {
        Waiting group = waiting.get(destination);
        if (group == null) {
            Waiting fresh = new Waiting(destination);
            publisher.ready(destination).whenComplete((known, error) -> {
                ready.add(fresh);
                onResult.run();
            });
            waiting.put(destination, fresh);
            group = fresh;
        }
        lane.waits = true;
        lane.group = group;
        group.lanes.add(lane);
    }

    private boolean mayFollow(Lane lane, StoredEvent next, @Nullable String destination) {
        try {
            return destination != null
                    && destination.equals(lane.destination)
                    && publisher.mayFollowInFlight(next.event(), destination);
        } catch (RuntimeException | LinkageError e) {
            // Then one at a time.
            return false;
        }
    }

    /** Whether an event was ever handed over while an earlier one of its key was with the publisher. */
    boolean hasFollowers() {
        return followers;
    }

    /** Whether events have gone to more than one destination. */
    boolean hasSeveralDestinations() {
        return several;
    }

    @Nullable
    String destinationOf(StoredEvent stored) {
        try {
            String destination = publisher.destination(stored.event());
            several |= last != null && !last.equals(destination);
            last = destination;
            return destination;
        } catch (RuntimeException | Error e) {
            // Publishing asks again, and answers for it.
            return null;
        }
    }

    /**
     * @return false if it is known already that the event was not accepted
     */
    private boolean publish(StoredEvent stored, @Nullable String destination, @Nullable Lane lane) {
        beforeEach.run();
        long now = System.nanoTime();
        if (halted) {
            complete(new Completed(stored, new PublishResult.Unresolved(), lane, now));
            return false;
        }
        handedOver.put(stored.claim().id(), now);
        CompletableFuture<PublishResult> answer = answer(stored, destination);
        PublishResult atOnce = answer.getNow(null);
        boolean refusedAlone = atOnce instanceof PublishResult.Rejected && (lane == null || lane.atPublisher == 1);
        unanswered.incrementAndGet();
        answer.whenComplete((result, error) -> {
            unanswered.decrementAndGet();
            complete(new Completed(stored, result, true, refusedAlone, now, System.nanoTime(), lane));
        });
        return atOnce == null || atOnce instanceof PublishResult.Accepted;
    }

    /** Never completes exceptionally: what the publisher throws is an answer. */
    private CompletableFuture<PublishResult> answer(StoredEvent stored, @Nullable String destination) {
        CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        try {
            String where = destination != null ? destination : publisher.destination(stored.event());
            publisher
                    .publish(stored.event(), Objects.requireNonNull(where, "The publisher names no destination."))
                    .whenComplete((result, error) ->
                            answer.complete(result != null ? result : PublishResult.Rejected.because(error)));
        } catch (OutOfMemoryError | InternalError | UnknownError e) {
            // Of the process, not of the event: the relay begins anew.
            throw e;
        } catch (Throwable e) {
            answer.complete(PublishResult.Rejected.because(e));
        }
        return answer;
    }

    private void complete(Completed completed) {
        try {
            results.add(completed);
        } catch (Error e) {
            // The future would keep it to itself, and the answer be waited for without end.
            lost = e;
        }
        onResult.run();
    }
}
