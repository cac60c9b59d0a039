package dev.postrider.internal.store.log;

import dev.postrider.internal.store.Settlement;
import java.util.List;

/**
 * The next row of a shard's cursor, and what belongs to it: both are written in one transaction or neither.
 *
 * @param seq one more than the newest row's
 * @param floor how far ids had been drawn, read before the transaction of this append
 * @param batch see {@link Cursor#batch}
 */
public record Append(int shard, long seq, Position position, LogStore.Floor floor, long batch, Changes changes) {

    /**
     * To the events beside the log.
     *
     * @param failed they wait for another attempt, with their whole envelopes
     * @param queued they wait behind another event of their key
     * @param blocked they wait until their destinations take events
     * @param released of those, the ones that may be tried again, and failed ones whose time has come behind an earlier event
     *     of their key: from now on they stand in the queues of their keys
     * @param scheduled they wait for their time
     * @param promoted scheduled ones whose time has come and those that an operator wants to be sent again: from now on
     *     they stand in the queues of their keys
     * @param attempted about to be sent alone, because relays may have died with them
     * @param survived have been sent alone without an outcome, and the relay lives
     * @param dead given up, each kept as a dead letter
     * @param deleted delivered, or discarded by an operator
     */
    public record Changes(
            List<Settlement.Failed> failed,
            List<Place> queued,
            List<Settlement.Blocked> blocked,
            List<Long> released,
            List<Place> scheduled,
            List<Long> promoted,
            List<Long> attempted,
            List<Long> survived,
            List<Settlement.Dead> dead,
            List<Long> deleted) {
        public static final Changes NONE = new Changes(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
                List.of());

        public Changes {
            failed = List.copyOf(failed);
            queued = List.copyOf(queued);
            blocked = List.copyOf(blocked);
            released = List.copyOf(released);
            scheduled = List.copyOf(scheduled);
            promoted = List.copyOf(promoted);
            attempted = List.copyOf(attempted);
            survived = List.copyOf(survived);
            dead = List.copyOf(dead);
            deleted = List.copyOf(deleted);
        }

        public boolean isEmpty() {
            return equals(NONE);
        }
    }

    /** An event of the log. */
    public record Place(long id, long keyHash) {}
}
