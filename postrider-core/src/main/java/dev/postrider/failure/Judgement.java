package dev.postrider.failure;

import dev.postrider.publish.PublishResult;
import dev.postrider.store.Settlement;
import dev.postrider.store.StoredEvent;

/** Decides what is recorded for an event, given what its publisher said. */
public final class Judgement {
    /** Errors are for people; a stack trace of a page is not kept in every row. */
    private static final int MAX_ERROR_LENGTH = 1000;

    private final RetryPolicy retry;

    public Judgement(RetryPolicy retry) {
        this.retry = retry;
    }

    public Settlement of(StoredEvent stored, PublishResult result) {
        if (result instanceof PublishResult.Accepted) {
            return new Settlement.Published(stored.claim());
        }
        if (result instanceof PublishResult.Unavailable unavailable) {
            // Not the event's fault, so it costs none of its retries.
            return new Settlement.Failed(stored.claim(), shorten(unavailable.reason()), retry.delayBefore(1), false);
        }
        if (result instanceof PublishResult.Rejected rejected) {
            return rejected(stored, rejected);
        }
        return new Settlement.Returned(stored.claim());
    }

    private Settlement rejected(StoredEvent stored, PublishResult.Rejected rejected) {
        Integer ownMaximum = stored.event().maxRetries();
        int maxRetries = ownMaximum != null ? ownMaximum : retry.maxRetries();
        int retries = stored.claim().attempts();
        String error = shorten(rejected.reason());
        return rejected.permanent() || retries >= maxRetries
                ? new Settlement.Dead(stored.claim(), error)
                : new Settlement.Failed(stored.claim(), error, retry.delayBefore(retries + 1), true);
    }

    private static String shorten(String error) {
        return error.length() <= MAX_ERROR_LENGTH ? error : error.substring(0, MAX_ERROR_LENGTH) + "…";
    }
}
