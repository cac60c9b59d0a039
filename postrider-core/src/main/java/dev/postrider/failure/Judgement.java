package dev.postrider.failure;

import dev.postrider.publish.PublishResult;
import dev.postrider.store.Settlement;
import dev.postrider.store.StoredEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what is recorded for an event, given what its publisher said. */
public final class Judgement {
    /** Errors are for people; a stack trace of a page is not kept in every row. */
    private static final int MAX_ERROR_LENGTH = 1000;

    private final RetryPolicy retry;
    private final boolean countOutages;

    public Judgement(RetryPolicy retry, boolean countOutages) {
        this.retry = retry;
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
            return rejected(stored, rejected, null);
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
        if (countOutages) {
            return rejected(
                    stored,
                    new PublishResult.Rejected(unavailable.errorClass(), unavailable.reason(), false),
                    unavailable.retryAfter());
        }
        return outage
                ? new Settlement.Returned(stored.claim())
                : new Settlement.Failed(
                        stored.claim(), shorten(unavailable.reason()), delay(1, unavailable.retryAfter()), false);
    }

    private Settlement rejected(StoredEvent stored, PublishResult.Rejected rejected, @Nullable Duration retryAfter) {
        Integer ownMaximum = stored.event().maxRetries();
        int maxRetries = ownMaximum != null ? ownMaximum : retry.maxRetries();
        int retries = stored.claim().attempts();
        String error = shorten(rejected.reason());
        return rejected.permanent() || retries >= maxRetries
                ? new Settlement.Dead(stored.claim(), rejected.errorClass(), error)
                : new Settlement.Failed(stored.claim(), error, delay(retries + 1, retryAfter), true);
    }

    /** Not before the destination wants to hear of it again. */
    private Duration delay(int attempt, @Nullable Duration retryAfter) {
        Duration backoff = retry.delayBefore(attempt);
        return retryAfter != null && retryAfter.compareTo(backoff) > 0 ? retryAfter : backoff;
    }

    private static String shorten(String error) {
        return error.length() <= MAX_ERROR_LENGTH ? error : error.substring(0, MAX_ERROR_LENGTH) + "…";
    }
}
