package dev.postrider.internal.source.log;

import dev.postrider.internal.source.EventSource.Settled;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.log.Append;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which outcomes of a log's events are in effect, so that people are told of no others.
 *
 * <ul>
 *   <li>A delivery is a fact as soon as it is acknowledged; with exactly once, when its transaction is committed.
 *   <li>That an event waits for its destination changes nothing, recorded or not.
 *   <li>A failure and a death are when they are recorded, which is when the cursor passes the event.
 *   <li>What nobody knows of a commit, taking over again tells.
 * </ul>
 *
 * <p>Used by the relay's thread alone.
 */
final class Outcomes {
    /** Not yet in effect, with the shards they depend on. */
    private final Map<Long, Waiting> waiting = new LinkedHashMap<>();

    /** Of a batch of which nobody knows whether it was committed. */
    private final List<Settlement> doubtful = new ArrayList<>();

    private long doubtfulBatch;

    private final Map<Long, Settlement> inEffect = new LinkedHashMap<>();
    private final Set<Long> lost = new HashSet<>();

    /**
     * @param fact whether it needs not be recorded to take effect, if only the shard is not lost
     * @param bytes of its event, which is kept until people are told
     */
    private record Waiting(Settlement settlement, Shard shard, boolean fact, long bytes) {}

    /** The shard knows of it. */
    void settled(Settlement settlement, Shard shard, boolean inTransaction, long bytes) {
        boolean fact = settlement instanceof Settlement.Returned
                || settlement instanceof Settlement.Blocked
                || settlement instanceof Settlement.Published && !inTransaction;
        waiting.put(settlement.claim().id(), new Waiting(settlement, shard, fact, bytes));
    }

    /** No shard knows of it, unless it has been settled before. */
    void lost(Settlement settlement) {
        long id = settlement.claim().id();
        if (!waiting.containsKey(id) && !inEffect.containsKey(id)) {
            lost.add(id);
        }
    }

    /** A transaction is recorded as a whole, a log only as far as the cursor has come. */
    void recorded(Append append) {
        written(append).forEach(this::takesEffect);
    }

    /** Nobody knows whether the append's batch was committed. */
    void doubtful(Append append) {
        doubtful.addAll(written(append));
        doubtful.forEach(settlement -> waiting.remove(settlement.claim().id()));
        doubtfulBatch = append.batch();
    }

    private List<Settlement> written(Append append) {
        List<Settlement> written = new ArrayList<>();
        for (Waiting one : waiting.values()) {
            // Of deliveries only those wait that were sent in the transaction of the append.
            if (one.settlement() instanceof Settlement.Published && !one.fact()) {
                written.add(one.settlement());
            }
        }
        written.addAll(append.changes().failed());
        written.addAll(append.changes().dead());
        return written;
    }

    /** The destination has committed the batches up to this one, and no others. */
    void knownUpTo(long batch) {
        for (Settlement settlement : doubtful) {
            if (batch >= doubtfulBatch) {
                takesEffect(settlement);
            } else {
                lost.add(settlement.claim().id());
            }
        }
        doubtful.clear();
    }

    private void takesEffect(Settlement settlement) {
        waiting.remove(settlement.claim().id());
        inEffect.put(settlement.claim().id(), settlement);
    }

    /** Of events that wait to be recorded. */
    long waitingBytes() {
        return waiting.values().stream()
                .filter(one -> !one.fact())
                .mapToLong(Waiting::bytes)
                .sum();
    }

    /** How many wait to be recorded. */
    int waiting() {
        return (int) waiting.values().stream().filter(one -> !one.fact()).count();
    }

    /**
     * What has taken effect, and what was lost, since the last call.
     *
     * @param isStillRead what belongs to other shards cannot be recorded any more
     */
    Settled take(Predicate<Shard> isStillRead) {
        for (Waiting one : List.copyOf(waiting.values())) {
            if (!isStillRead.test(one.shard())) {
                waiting.remove(one.settlement().claim().id());
                lost.add(one.settlement().claim().id());
            } else if (one.fact()) {
                takesEffect(one.settlement());
            }
        }
        Settled settled = new Settled(List.copyOf(inEffect.values()), lost);
        inEffect.clear();
        lost.clear();
        return settled;
    }
}
