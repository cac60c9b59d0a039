package dev.postrider.internal.failure;

import dev.postrider.failure.RetryPolicy;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what is recorded for an event, given what its publisher said. */
public final class Judgement {
    /** Errors are for people; a stack trace of a page is not kept in every row. */
    private static final int MAX_ERROR_LENGTH = 1000;

    private final RetryPolicy retry;
    private final boolean countOutages;

    /**
     * @param relay its name, for the log
     */
    public Judgement(String relay, RetryPolicy retry, boolean countOutages) {
        this.retry = new GuardedRetryPolicy(relay, retry);
        this.countOutages = countOutages;
    }

    /**
     * @param outage whether the destination takes nothing at all at the moment
     */
    public Settlement of(StoredEvent stored, PublishResult result, boolean outage) {
        if (result instanceof PublishResult.Accepted) {
            return new Settlement.Published(stored.claim());
        }
        if (result instanceof PublishResult.Rejected rejected) {
            RetryPolicy.Failure failure = new RetryPolicy.Failure(rejected.errorClass(), rejected.reason(), false);
            return rejected.permanent() ? dead(stored, failure) : counted(stored, failure, null);
        }
        if (result instanceof PublishResult.Unavailable unavailable) {
            return unavailable(stored, unavailable, outage);
        }
        if (result instanceof PublishResult.Blocked blocked) {
            return new Settlement.Blocked(stored.claim(), blocked.destination(), shorten(blocked.reason()));
        }
        return new Settlement.Returned(stored.claim());
    }

    /** Not the event's fault. In an outage it waits like all others; else its key alone waits a while. */
    private Settlement unavailable(StoredEvent stored, PublishResult.Unavailable unavailable, boolean outage) {
        RetryPolicy.Failure failure = new RetryPolicy.Failure(unavailable.errorClass(), unavailable.reason(), true);
        if (countOutages) {
            return counted(stored, failure, unavailable.retryAfter());
        }
        return outage
                ? new Settlement.Returned(stored.claim())
                : new Settlement.Failed(
                        stored.claim(),
                        shorten(unavailable.reason()),
                        delay(retry.whenUnavailable(stored.event(), failure), unavailable.retryAfter()),
                        false);
    }

    private Settlement counted(StoredEvent stored, RetryPolicy.Failure failure, @Nullable Duration retryAfter) {
        Integer ownMaximum = stored.event().maxRetries();
        int attempt = Math.max(stored.claim().attempts(), stored.claim().attempts() + 1);
        if (ownMaximum != null && attempt > ownMaximum) {
            return dead(stored, failure);
        }
        return retry.decide(stored.event(), failure, attempt) instanceof RetryPolicy.Wait wait
                ? new Settlement.Failed(
                        stored.claim(), shorten(failure.reason()), delay(wait.delay(), retryAfter), true)
                : dead(stored, failure);
    }

    private static Settlement dead(StoredEvent stored, RetryPolicy.Failure failure) {
        return new Settlement.Dead(stored.claim(), failure.errorClass(), shorten(failure.reason()));
    }

    /** Not before the destination wants to hear of it again. */
    private static Duration delay(Duration wait, @Nullable Duration retryAfter) {
        return GuardedRetryPolicy.bounded(retryAfter != null && retryAfter.compareTo(wait) > 0 ? retryAfter : wait);
    }

    private static String shorten(String error) {
        return error.length() <= MAX_ERROR_LENGTH ? error : error.substring(0, MAX_ERROR_LENGTH) + "…";
    }
}
