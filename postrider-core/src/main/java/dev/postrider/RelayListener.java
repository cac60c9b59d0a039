package dev.postrider;

import java.time.Duration;

/**
 * Told of what a relay does, on the relay's thread: return quickly, do not throw. For metrics, alerts
 * and tests.
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

    /** An event was given up; it waits for a person. {@code id} is its row's. */
    default void dead(long id, String error) {}

    /** Outcomes this relay could not record, because the events were somebody else's by then. */
    default void fenced(int events) {}

    /** Events put back that a dead relay had claimed. */
    default void recovered(int events) {}

    /** Now and then: how much waits. {@code count} stops at a cap. */
    default void backlog(long count, Duration oldest) {}
}
