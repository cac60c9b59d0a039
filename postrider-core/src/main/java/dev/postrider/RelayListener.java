package dev.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Receives what a relay does, on the relay's thread: return quickly, do not throw. For metrics, alerts and tests.
 *
 * <p>Outcomes are reported when they take effect: a delivery when it is recorded (in log mode when it is acknowledged,
 * with exactly once when it is committed), a failure or a dead letter when it is recorded.
 */
public interface RelayListener {

    /**
     * @param latency from the insert to the broker's acknowledgement
     */
    default void published(OutboxEvent event, Duration latency) {}

    /**
     * @param counted whether it costs the event a retry
     */
    default void failed(OutboxEvent event, String error, boolean counted) {}

    /** An event was given up; it waits for a person. {@code id} is the id of its row. */
    default void dead(long id, String error) {}

    /** A row was changed after it was written; it became a dead letter and was not sent. */
    default void integrityFailure(long id) {}

    /** The destination stopped or started accepting events: {@code closed}, {@code open} or {@code half-open}. */
    default void circuitChanged(String state) {}

    /**
     * An operator has paused or resumed the outbox. Called by the thread that renews the lease.
     *
     * @param pause null if it was resumed
     */
    default void paused(@Nullable OutboxPause pause) {}

    /**
     * The relay has started, or what wakes it has changed.
     *
     * @param inForce {@link WakeUp#WAL}, {@link WakeUp#NOTIFY} or {@link WakeUp#POLL}
     */
    default void wakeUpChanged(WakeUp inForce) {}

    /**
     * The set of destinations that accept nothing has changed.
     *
     * @param destinations all that accept nothing now, at most 100, each with the reason
     */
    default void blocked(Map<String, String> destinations) {}

    /** The dead letter table could not take an event; it is in the local file. */
    default void deadLetterInFile(long id) {}

    /** Neither table nor file could take a dead letter: this is the only copy of its row, as JSON. */
    default void deadLetterUnsaved(long id, String row) {}

    /** Outcomes that this relay could not record, because another relay had taken the events over by then. */
    default void fenced(int events) {}

    /** Events put back that a dead relay had claimed. */
    default void recovered(int events) {}

    /**
     * The database has failed over to another server, and this relay has taken a shard of a log over there: the events
     * that the old server had delivered last may be delivered again, even with exactly once. Commits that the new
     * server had not received are gone.
     */
    default void databaseFailedOver(int shard, int fromTimeline, int toTimeline) {}

    /**
     * About every second while there are any, and once when it is over: how many events the destination has not
     * answered for longer than {@link dev.postrider.settings.Timeouts#noAnswer}, and how long the oldest of them has
     * been in flight.
     */
    default void unanswered(long events, Duration oldest) {}

    /** Every few seconds: the size of the backlog. {@code count} stops at a cap. */
    default void backlog(long count, Duration oldest) {}

    /** Calls all of them; if one throws, the others are still called. */
    static RelayListener all(List<? extends RelayListener> listeners) {
        return new RelayListeners(listeners);
    }
}
