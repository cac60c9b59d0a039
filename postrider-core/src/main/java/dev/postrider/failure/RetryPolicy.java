package dev.postrider.failure;

import java.time.Duration;

/** How often and when a rejected event is tried again. Called by the relay's thread. */
public interface RetryPolicy {

    /** How many retries an event has, unless its row says otherwise. */
    int maxRetries();

    /**
     * How long to wait before a retry.
     *
     * @param retry 1 for the first
     */
    Duration delayBefore(int retry);
}
