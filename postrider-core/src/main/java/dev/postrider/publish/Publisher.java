package dev.postrider.publish;

import dev.postrider.OutboxEvent;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A destination. One relay thread calls it; results arrive on any thread.
 *
 * <p>The rule every publisher helps to keep: <b>once an event of a key has failed, nothing later of
 * that key may be accepted.</b> Where a publisher's pipeline cannot promise it for events in flight
 * together it says so by {@link #mayFollowInFlight}, and the relay gives it one event of the key at a time.
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
     * Takes an event and returns at once; waiting is allowed only for want of buffer space, and where {@link
     * #ready} was not asked. Does not
     * throw: whatever goes wrong is a result. While the line is stopped the result is {@link
     * PublishResult.Unresolved}, at once.
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
     * in flight: true only if it cannot be accepted should one of those fail.
     */
    boolean mayFollowInFlight(OutboxEvent event, String destination);

    /**
     * Whether an event that is not accepted stops the line, so that the relay fetches nothing until every answer is in
     * and then calls {@link #resume}. False only for a publisher that never has two events of a key in flight and
     * in which the failure of one means nothing for those of other keys: then the others go on.
     */
    default boolean stopsAtFailure() {
        return true;
    }

    /**
     * Nothing more is at hand for the moment: what a publisher holds back to send it in company may go. Returns at once.
     */
    default void thatIsAllForNow() {}

    /**
     * Called every few seconds while events are in flight: what will not be answered any more, for instance because the thread
     * that would do so has died, is answered now. Returns soon.
     */
    default void giveUpWhatIsLate() {}

    /**
     * Gives up what is in flight and accepts nothing until {@link #resume}. Also done by the publisher
     * itself at the first asynchronous failure, before anything later can be accepted.
     */
    void stopTheLine();

    /** The relay has taken note of every result so far; new events are welcome again. */
    void resume();

    /** Ends everything at once; what is in flight ends as {@link PublishResult.Unresolved}. */
    @Override
    void close();
}
