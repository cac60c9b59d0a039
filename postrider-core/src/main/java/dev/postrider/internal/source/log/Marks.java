package dev.postrider.internal.source.log;

import dev.postrider.internal.store.log.Snapshot;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where a scan may begin. A mark (w, L) says: events of transactions after w have ids above L. It holds because the
 * latest id L was read before the number w was given out, later transactions got their numbers later, and a row has its
 * transaction's number before it draws its id.
 *
 * <p>The end of a snapshot is no w: transactions at and above it may have been running, and drawing ids, for long.
 */
final class Marks {
    /** Above this number, those that nobody needs are dropped. */
    private static final int MANY = 500;

    private final NavigableMap<Long, Long> floors = new TreeMap<>();

    void add(long transaction, long floor) {
        floors.put(transaction, floor);
    }

    /** What was noted does not hold in another cluster, nor after a crash or a fail-over, which give numbers out again. */
    void clear() {
        floors.clear();
    }

    /** No event of this or a later transaction has an id up to this one; the lowest number if nothing is known. */
    long floorOf(long transaction) {
        Map.Entry<Long, Long> newest = floors.lowerEntry(transaction);
        return newest == null ? Long.MIN_VALUE : newest.getValue();
    }

    /** A transaction that is running may become visible at any time, so its mark stays as long as it does. */
    void keepFor(Collection<Snapshot> positions) {
        if (floors.size() <= MANY) {
            return;
        }
        TreeSet<Long> needed = new TreeSet<>();
        for (Snapshot position : positions) {
            keep(needed, position.end());
            for (long running : position.running()) {
                keep(needed, running);
            }
        }
        needed.add(floors.lastKey());
        floors.keySet().retainAll(needed);
    }

    private void keep(Set<Long> needed, long transaction) {
        Long mark = floors.lowerKey(transaction);
        if (mark != null) {
            needed.add(mark);
        }
    }
}
