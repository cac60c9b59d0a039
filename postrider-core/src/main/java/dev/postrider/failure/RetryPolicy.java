package dev.postrider.failure;

import dev.postrider.OutboxEvent;
import java.time.Duration;
import java.util.Objects;

/**
 * When an event that failed is tried again, and whether at all. {@link Backoff} is the standard one.
 *
 * <p>Called by the relay's thread, so it must return at once, and perhaps more than once for the same failure. An event whose row
 * has a maximum of its own never gets more retries than that, and one that was rejected for good gets none: the policy is not
 * asked then. If it throws, or answers with null, {@link Backoff#DEFAULT} decides, and the log says so once.
 */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * @param attempt how many attempts have failed by now; 1 after the first
     */
    Decision decide(OutboxEvent event, Failure failure, int attempt);

    /**
     * How long an event waits whose destination was not available. It costs the event no retry, so it cannot be given up for it;
     * with {@code countOutages} {@link #decide} is asked instead. Default: as {@link Backoff#DEFAULT} before a first retry.
     */
    default Duration whenUnavailable(OutboxEvent event, Failure failure) {
        return Backoff.DEFAULT.delayBefore(1);
    }

    /**
     * Why an event was not accepted.
     *
     * @param errorClass one word for the kind of failure, as the publisher has it: a dead letter would have it too
     * @param unavailable whether it is the destination's fault rather than the event's
     */
    record Failure(String errorClass, String reason, boolean unavailable) {}

    /** What is done with an event that failed. */
    sealed interface Decision {}

    /** It is tried again. Waits are at least nothing and at most ten years. */
    record Wait(Duration delay) implements Decision {
        public Wait {
            Objects.requireNonNull(delay, "delay");
        }
    }

    /** It is a dead letter. */
    record GiveUp() implements Decision {}

    static Decision retryAfter(Duration delay) {
        return new Wait(delay);
    }

    static Decision giveUp() {
        return new GiveUp();
    }
}
