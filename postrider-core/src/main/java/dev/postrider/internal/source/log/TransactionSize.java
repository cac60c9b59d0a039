package dev.postrider.internal.source.log;

import dev.postrider.internal.store.StoredEvent;
import java.time.Duration;
import java.util.List;

/**
 * How much goes into one transaction of a shard. A destination that is slow, or has to take large events, may not take a full
 * transaction within its timeout; tried again at the same size it never would. So one that was not committed, unless because
 * of an event that was rejected, is followed by one of half its size, by events and by bytes, down to a single event. One
 * that was committed in a quarter of the time, while more events waited, is followed by one that is an eighth larger: from a single event to thousands
 * it is sixty steps, and where the limit is met again most transactions are below it.
 *
 * <p>Used by the relay's thread alone.
 */
final class TransactionSize {
    private final long timeout;
    private int maxEvents = Integer.MAX_VALUE;
    private long maxBytes = Long.MAX_VALUE;

    /** Of the transaction under way; none if there are no events. */
    private int events;

    private long bytes;
    private boolean moreWaited;
    private long begunAt;

    /**
     * @param timeout after which the destination undoes a transaction
     */
    TransactionSize(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    int events(int wanted) {
        return Math.min(wanted, maxEvents);
    }

    long bytes(long wanted) {
        return Math.min(wanted, maxBytes);
    }

    /**
     * These are about to be sent.
     *
     * @param more whether others waited that were left out; whether they were for their size cannot be told from those that are sent,
     *     because the database counts the bytes of an event in another way
     */
    void begin(List<StoredEvent> sent, boolean more) {
        events = sent.size();
        moreWaited = more;
        bytes = sent.stream().mapToLong(StoredEvent::bytes).sum();
        begunAt = System.nanoTime();
    }

    /** If nothing else waited, it tells nothing about larger ones. */
    void committed() {
        if (events > 0 && moreWaited && System.nanoTime() - begunAt < timeout / 4) {
            maxEvents = (int) Math.min(Integer.MAX_VALUE, larger(maxEvents));
            maxBytes = larger(maxBytes);
        }
        events = 0;
    }

    private static long larger(long limit) {
        long step = Math.max(1, limit / 8);
        return limit > Long.MAX_VALUE - step ? Long.MAX_VALUE : limit + step;
    }

    /** Undone because of an event that was rejected: that tells nothing about the size. */
    void rebuilt() {
        events = 0;
    }

    /**
     * @return whether transactions are smaller from now on
     */
    boolean undone() {
        boolean asLargeAsWanted = events > 1 && maxEvents == Integer.MAX_VALUE;
        if (events > 1) {
            maxEvents = events / 2;
            maxBytes = Math.max(1, bytes / 2);
        }
        events = 0;
        return asLargeAsWanted;
    }
}
