package dev.postrider.publish;

import dev.postrider.OutboxEvent;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Hands events to a destination. One relay thread calls it, except for {@link #halt} and {@link #blocked}; results
 * arrive on any thread.
 *
 * <p>The rule every publisher helps to keep: <b>once an event of a key has failed, nothing later of
 * that key may be accepted.</b>
 *
 * <p>{@link #destination} and {@link #publish} are enough. The relay then gives the publisher one event of each key at
 * a time, and the next one after the previous one was accepted; the failure of one key does not affect others. While
 * the relay must not send, because its lease has expired or it is stopping, it hands over nothing and waits for the
 * missing answers; so such a publisher has to answer everything sooner or later: put a timeout on everything it waits
 * for.
 *
 * <p>The other methods are for publishers that can do more: have several events of a key in flight ({@link
 * #mayFollowInFlight}, {@link #stopsAtFailure}), cancel what is in flight ({@link #halt}, {@link #resume}), send in
 * batches ({@link #flush}), distinguish destinations that accept nothing from those that do ({@link #ready}, {@link
 * #releasable}). {@code PublisherContract}, in {@code postrider-publisher-contract}, tests what they promise.
 */
public interface Publisher extends AutoCloseable {
    /** The answer of {@link #ready} for a destination that needs no look-up. */
    CompletionStage<?> READY = CompletableFuture.completedFuture(null);

    /**
     * Where the event goes, for example its topic. Events of one key to different destinations are
     * never in flight together.
     *
     * @throws UnroutableEventException if it has no destination
     */
    String destination(OutboxEvent event);

    /**
     * Takes an event and returns quickly: the relay sends nothing else meanwhile, and counts as stuck after 15 s. Do
     * slower work on another thread. Report failures as results; an exception counts as {@link PublishResult.Rejected},
     * and as final if it is an {@link UnroutableEventException} or {@link InvalidEventException}. After {@link #halt}
     * the result is {@link PublishResult.Unresolved}, at once.
     */
    CompletionStage<PublishResult> publish(OutboxEvent event, String destination);

    /**
     * Completes when the publisher knows the destination, so that an event for it can be handed over. Until then the
     * event waits, and the publisher looks the destination up on its own thread. That takes a few seconds at most,
     * whatever the outcome: {@link #publish} then has an answer.
     */
    default CompletionStage<?> ready(String destination) {
        return READY;
    }

    /**
     * How many of the events that wait for the destination named in {@link PublishResult.Blocked} may be tried now; 0
     * as long as it accepts nothing. For a name that this publisher does not know, nothing is held back.
     */
    default int releasable(String blocked) {
        return Integer.MAX_VALUE;
    }

    /** The destinations that accept nothing at the moment, each with the reason; at most 100 of them. Any thread. */
    default Map<String, String> blocked() {
        return Map.of();
    }

    /** Sets a callback, to be called on any thread when a destination that accepted nothing may be tried again. */
    default void onRelease(Runnable wake) {}

    /**
     * Whether an event may be handed over while earlier events of its key to the same destination are
     * in flight: true only if it cannot be accepted should one of those fail. Default: no.
     */
    default boolean mayFollowInFlight(OutboxEvent event, String destination) {
        return false;
    }

    /**
     * Whether an event that is not accepted halts the publisher, so that the relay fetches nothing until every answer
     * has arrived and then calls {@link #resume}. Default: no, the other keys go on; unless {@link #mayFollowInFlight}
     * has ever allowed an event to follow another, which the relay notices by itself.
     */
    default boolean stopsAtFailure() {
        return false;
    }

    /** There are no more events for the moment: send what the publisher holds back for batching. Returns at once. */
    default void flush() {}

    /**
     * Called every few seconds while events are in flight: answers events that will not be answered any more, for
     * instance because the thread that would do so has died. Returns quickly.
     */
    default void expireOverdue() {}

    /**
     * Called while the outbox is paused: answers events that wait inside the publisher and have not started to leave
     * with {@link PublishResult.Unresolved}; the others continue. Returns at once. Default: every event starts to leave
     * when it is handed over.
     */
    default void returnUnstarted() {}

    /**
     * Gives up what is in flight and accepts nothing until {@link #resume}. Events that are given up are {@link
     * PublishResult.Unresolved}, and can no longer be accepted from then on. Returns at once. Any thread. If {@link
     * #stopsAtFailure}, the publisher does the same by itself at the first asynchronous failure, before anything later
     * can be accepted. Default: nothing; the relay waits for the answers to what is in flight.
     */
    default void halt() {}

    /** The relay has recorded every result so far; the publisher accepts new events again. */
    default void resume() {}

    /**
     * Releases everything, at once, when the relay has stopped; what is in flight ends as {@link
     * PublishResult.Unresolved}. May be called twice.
     */
    @Override
    default void close() {}
}
