package dev.postrider.internal.failure;

import dev.postrider.OutboxEvent;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A policy of the user's own that can do no harm: the standard one stands in for it when it fails. The relay's thread. */
final class GuardedRetryPolicy implements RetryPolicy {
    private static final Logger log = LoggerFactory.getLogger(GuardedRetryPolicy.class);

    /** What every database can add to a time. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final String relay;
    private final RetryPolicy policy;
    private boolean told;

    /**
     * @param relay its name, for the log
     */
    GuardedRetryPolicy(String relay, RetryPolicy policy) {
        this.relay = relay;
        this.policy = policy;
    }

    @Override
    public Decision decide(OutboxEvent event, Failure failure, int attempt) {
        return orStandard(
                () -> policy.decide(event, failure, attempt), () -> Backoff.DEFAULT.decide(event, failure, attempt));
    }

    @Override
    public Duration whenUnavailable(OutboxEvent event, Failure failure) {
        return orStandard(
                () -> policy.whenUnavailable(event, failure), () -> Backoff.DEFAULT.whenUnavailable(event, failure));
    }

    private <T> T orStandard(Supplier<T> asked, Supplier<T> standard) {
        try {
            return Objects.requireNonNull(asked.get(), "It answered with null.");
        } catch (OutOfMemoryError | InternalError | UnknownError e) {
            throw e;
        } catch (Throwable e) {
            if (!told) {
                told = true;
                log.error(
                        "[{}] the retry policy {} failed; the standard one decides in its place. This is logged once.",
                        relay,
                        policy.getClass().getName(),
                        e);
            }
            return standard.get();
        }
    }

    static Duration bounded(Duration delay) {
        return delay.isNegative() ? Duration.ZERO : delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }
}
