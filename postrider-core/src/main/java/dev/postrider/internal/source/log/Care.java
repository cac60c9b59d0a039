package dev.postrider.internal.source.log;

import dev.postrider.internal.source.CarefulBatches;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * How a shard is read that relays have died with, until what they had in hand has been sent: in {@linkplain CarefulBatches
 * small batches}, which are ordinary ones otherwise, or alone. Those that are sent alone are put beside the log first, where
 * each attempt is recorded before it is made, so that all others go on meanwhile.
 */
final class Care {
    /** How much a relay has in hand: two batches, and what it has sent since the cursor was recorded. */
    private static final int BATCHES_IN_HAND = 3;

    /** So many are sent alone at least. */
    private static final int LEAST = 16;

    private final int size;

    /** Events still under suspicion, as far as they are not known. */
    private int left;

    /** Keys of events beside the log to be sent alone, in their order; several of one key may be among them. */
    private final Deque<Long> suspects = new ArrayDeque<>();

    private Care(int size, int left) {
        this.size = size;
        this.left = left;
    }

    /**
     * @param takeovers of the shard from dead relays since its events were recorded last
     */
    static Care after(int takeovers, int batchSize) {
        int inHand = takeovers <= CarefulBatches.DEATHS_FOR_CARE
                ? BATCHES_IN_HAND * batchSize
                : CarefulBatches.size(batchSize, takeovers - 1);
        return new Care(CarefulBatches.size(batchSize, takeovers), Math.max(LEAST, inHand));
    }

    /** Of events that a relay has died with while it had nothing else in hand. */
    static Care of(Collection<Long> keys) {
        Care care = new Care(1, 0);
        care.suspects.addAll(keys);
        return care;
    }

    boolean isAlone() {
        return size == 1;
    }

    int size() {
        return size;
    }

    int left() {
        return left;
    }

    void sent(int events) {
        left -= events;
    }

    /** An event of this key is beside the log and to be sent alone. */
    void suspect(long key) {
        suspects.add(key);
        left--;
    }

    /** There are no others in the log. */
    void flush() {
        left = 0;
    }

    boolean isSuspect(long key) {
        return suspects.contains(key);
    }

    @Nullable
    Long nextSuspect() {
        return suspects.poll();
    }

    /** Whether everything else of the shard may be sent as usual. */
    boolean isAside() {
        return isAlone() && left <= 0;
    }
}
