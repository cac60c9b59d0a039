package dev.postrider.failure;

import dev.postrider.OutboxEvent;
import dev.postrider.settings.Formats;
import dev.postrider.settings.OptionValues;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Waits that grow: {@code base}, {@code base × multiplier}, {@code base × multiplier²} … up to {@code cap}.
 *
 * @param base before the first retry
 * @param multiplier from one wait to the next
 * @param cap longest wait
 * @param jitter random extra wait, as a share of the wait, so that events that failed together are not retried
 *     together; 0 means none
 * @param maxRetries the event becomes a dead letter after this many retries
 */
public record Backoff(Duration base, double multiplier, Duration cap, double jitter, int maxRetries)
        implements RetryPolicy {

    /** 2, 4, 8, 16, 32 seconds; 5 retries. */
    public static final Backoff DEFAULT = RetrySettings.backoff(OptionValues.NONE);

    public Backoff {
        RetrySettings.BASE.check(base);
        RetrySettings.MULTIPLIER.check(multiplier);
        RetrySettings.CAP.check(cap);
        if (cap.compareTo(base) < 0) {
            throw RetrySettings.CAP.invalid(
                    cap, "at least " + RetrySettings.BASE.key() + ", which is " + Formats.DURATION.print(base));
        }
        RetrySettings.JITTER.check(jitter);
        RetrySettings.MAX_RETRIES.check(maxRetries);
    }

    /** An event's own maximum takes precedence over this one. */
    @Override
    public Decision decide(OutboxEvent event, Failure failure, int attempt) {
        Integer ownMaximum = event.maxRetries();
        return attempt > (ownMaximum != null ? ownMaximum : maxRetries)
                ? RetryPolicy.giveUp()
                : RetryPolicy.retryAfter(delayBefore(attempt));
    }

    @Override
    public Duration whenUnavailable(OutboxEvent event, Failure failure) {
        return delayBefore(1);
    }

    /**
     * How long to wait before a retry.
     *
     * @param retry 1 for the first
     */
    public Duration delayBefore(int retry) {
        double millis = Math.min((double) base.toMillis() * Math.pow(multiplier, retry - 1.0), (double) cap.toMillis());
        double spread = jitter == 0 ? 0 : ThreadLocalRandom.current().nextDouble(jitter);
        return Duration.ofMillis(Math.round(Math.min(millis * (1 + spread), (double) cap.toMillis())));
    }
}
