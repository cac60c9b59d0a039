package dev.postrider.failure;

import dev.postrider.OutboxEvent;
import java.time.Duration;
import java.util.Objects;

/**
 * Whether and when a failed event is tried again. {@link Backoff} is the standard policy.
 *
 * <p>Called by the relay's thread, so it must return at once; it may be called more than once for the same failure. An
 * event whose row has its own maximum never gets more retries than that, and one that was rejected for good gets none:
 * the policy is not called then. If it throws, or returns null, {@link Backoff#DEFAULT} decides, and the log says so
 * once.
 */
@FunctionalInterface
public interface RetryPolicy {

    /** @param attempt how many attempts have failed so far; 1 after the first */
    Decision decide(OutboxEvent event, Failure failure, int attempt);

    /**
     * How long an event waits if its destination was not available. This costs the event no retry, so the event cannot
     * be given up for it; with {@code countOutages}, {@link #decide} is called instead. Default: as {@link
     * Backoff#DEFAULT} before a first retry.
     */
    default Duration whenUnavailable(OutboxEvent event, Failure failure) {
        return Backoff.DEFAULT.delayBefore(1);
    }

    /**
     * Why an event was not accepted.
     *
     * @param errorClass one word for the kind of failure, from the publisher; a dead letter has the same
     * @param unavailable whether the destination is at fault rather than the event
     */
    record Failure(String errorClass, String reason, boolean unavailable) {}

    /** What to do with a failed event. */
    sealed interface Decision {}

    /** Try it again. The wait must not be negative, and is at most ten years. */
    record Wait(Duration delay) implements Decision {
        public Wait {
            Objects.requireNonNull(delay, "delay");
        }
    }

    /** Make it a dead letter. */
    record GiveUp() implements Decision {}

    static Decision retryAfter(Duration delay) {
        return new Wait(delay);
    }

    static Decision giveUp() {
        return new GiveUp();
    }
}
