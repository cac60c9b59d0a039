package dev.postrider.publish;

import dev.postrider.OutboxEvent;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A destination. One relay thread calls it, except for {@link #halt} and {@link #blocked}; results arrive on any thread.
 *
 * <p>The rule every publisher helps to keep: <b>once an event of a key has failed, nothing later of
 * that key may be accepted.</b>
 *
 * <p>{@link #destination} and {@link #publish} are enough. The relay then has one event of each key with the publisher at a
 * time, hands over the next when the one before was accepted, and the failure of one key means nothing for others. While the
 * relay is not to send, because its lease has lapsed or it stops, it hands nothing over and waits for the answers that are
 * missing; so such a publisher has to answer everything sooner or later: give whatever it waits for a timeout.
 *
 * <p>The other methods are for publishers that can do more: have several events of a key under way ({@link
 * #mayFollowInFlight}, {@link #stopsAtFailure}), take back what is under way ({@link #halt}, {@link #resume}), send in batches
 * ({@link #flush}), tell destinations that take nothing from those that do ({@link #ready}, {@link #releasable}).
 * {@code PublisherContract}, in {@code postrider-publisher-contract}, tests what they promise.
 */
public interface Publisher extends AutoCloseable {
    /** Of a destination that nothing needs to be known of. */
    CompletionStage<?> READY = CompletableFuture.completedFuture(null);

    /**
     * Where the event goes, for example its topic. Events of one key to different destinations are
     * never in flight together.
     *
     * @throws UnroutableEventException if it has no destination
     */
    String destination(OutboxEvent event);

    /**
     * Takes an event and returns soon: the relay sends nothing else meanwhile, and counts as stuck after 15 s. What takes
     * longer is done on another thread. Whatever goes wrong is a result; what is thrown counts as {@link
     * PublishResult.Rejected}, and as final if it is an {@link UnroutableEventException} or {@link InvalidEventException}.
     * After {@link #halt} the result is {@link PublishResult.Unresolved}, at once.
     */
    CompletionStage<PublishResult> publish(OutboxEvent event, String destination);

    /**
     * Whether something is known of a destination, so that an event for it can be handed over: complete if so. Otherwise the
     * event waits in its lane, and the publisher finds out on a thread of its own. That takes some seconds at most, whatever
     * comes out: {@link #publish} then has an answer.
     */
    default CompletionStage<?> ready(String destination) {
        return READY;
    }

    /**
     * How many of the events that wait for what was named in {@link PublishResult.Blocked} may be tried now; 0 as long as it
     * takes nothing. A name that this publisher knows nothing of holds nothing back.
     */
    default int releasable(String blocked) {
        return Integer.MAX_VALUE;
    }

    /** What takes nothing at the moment, each with the reason; at most 100 of them. Any thread. */
    default Map<String, String> blocked() {
        return Map.of();
    }

    /** Called, on any thread, when something that took nothing may be tried again. */
    default void onRelease(Runnable wake) {}

    /**
     * Whether an event may be handed over while earlier events of its key to the same destination are
     * in flight: true only if it cannot be accepted should one of those fail. Default: no.
     */
    default boolean mayFollowInFlight(OutboxEvent event, String destination) {
        return false;
    }

    /**
     * Whether an event that is not accepted halts the publisher, so that the relay fetches nothing until every answer is in
     * and then calls {@link #resume}. Default: no, the other keys go on; unless {@link #mayFollowInFlight} has ever allowed
     * an event to follow another, which the relay notices by itself.
     */
    default boolean stopsAtFailure() {
        return false;
    }

    /**
     * Nothing more is at hand for the moment: what a publisher holds back to send it in company may go. Returns at once.
     */
    default void flush() {}

    /**
     * Called every few seconds while events are in flight: what will not be answered any more, for instance because the thread
     * that would do so has died, is answered now. Returns soon.
     */
    default void giveUpWhatIsLate() {}

    /**
     * Called while the outbox is paused: what waits inside the publisher and has not begun to leave is {@link
     * PublishResult.Unresolved}, what has begun goes on. Returns at once. Default: everything has begun when it is handed over.
     */
    default void giveBackUnbegun() {}

    /**
     * Gives up what is in flight and accepts nothing until {@link #resume}. What is given up is {@link
     * PublishResult.Unresolved}, and from then on cannot be accepted any more. Returns at once. Any thread. If {@link
     * #stopsAtFailure}, the publisher does the same by itself at the first asynchronous failure, before anything later can be
     * accepted. Default: what is in flight is answered when it is; the relay waits for that.
     */
    default void halt() {}

    /** The relay has taken note of every result so far; new events are welcome again. */
    default void resume() {}

    /**
     * Lets go of everything, at once, when the relay has stopped; what is in flight ends as {@link
     * PublishResult.Unresolved}. May be called twice.
     */
    @Override
    default void close() {}
}
