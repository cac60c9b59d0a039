package dev.postrider.internal.source.log;

import dev.postrider.internal.source.EventSource.Released;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.LogStore.BlockedAt;
import dev.postrider.internal.store.log.LogStore.BlockedRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.ToIntFunction;

/**
 * Events beside the log that wait for their destinations, and when they go on. Used by the relay's thread alone.
 *
 * <p>A shard that has just been taken over lets all of them go on once, by destination and id: the relay before may have routed
 * them elsewhere. What is blocked again meanwhile lies behind that walk, or is met once more; it ends in any case.
 */
final class BlockedRows {
    private static final int CHUNK = 2_000;
    private static final int MOST_DESTINATIONS = 1_000;

    private final LogStore store;

    /** How far the walk through a shard that was taken over has come. */
    private final Map<Shard, BlockedRow> walks = new WeakHashMap<>();

    /** Where the next look begins: with very many destinations one look does not reach all of them. */
    private final Map<Shard, String> lookedTo = new WeakHashMap<>();

    BlockedRows(LogStore store) {
        this.store = store;
    }

    void takenOver(Shard shard) {
        walks.put(shard, BlockedRow.before(""));
    }

    Released release(Connection connection, Collection<Shard> shards, ToIntFunction<String> releasable)
            throws SQLException {
        Map<Integer, Shard> open = new HashMap<>();
        int released = 0;
        boolean more = false;
        for (Shard shard : shards) {
            boolean busy = shard.gate().readyKeys() >= CHUNK;
            BlockedRow walked = walks.get(shard);
            if (busy || shard.isLeaving()) {
                // What was released before is on its way first.
                more |= busy && !shard.isLeaving();
            } else if (walked == null) {
                open.put(shard.number(), shard);
            } else {
                List<BlockedRow> rows = store.blocked(connection, shard.number(), walked, false, CHUNK);
                rows.forEach(shard::release);
                if (rows.size() < CHUNK) {
                    walks.remove(shard);
                } else {
                    walks.put(shard, rows.get(rows.size() - 1));
                }
                released += rows.size();
                more |= !rows.isEmpty();
            }
        }
        if (open.isEmpty()) {
            return new Released(released, more);
        }
        Map<String, Integer> left = new HashMap<>();
        for (BlockedAt at : destinations(connection, open)) {
            int limit = Math.min(CHUNK, left.computeIfAbsent(at.destination(), releasable::applyAsInt));
            if (limit > 0) {
                List<BlockedRow> rows =
                        store.blocked(connection, at.shard(), BlockedRow.before(at.destination()), true, limit);
                rows.forEach(Objects.requireNonNull(open.get(at.shard()))::release);
                left.computeIfPresent(at.destination(), (any, count) -> count - rows.size());
                released += rows.size();
                more |= rows.size() == limit;
            }
        }
        return new Released(released, more);
    }

    private List<BlockedAt> destinations(Connection connection, Map<Integer, Shard> open) throws SQLException {
        List<BlockedAt> after = open.values().stream()
                .map(shard -> new BlockedAt(shard.number(), lookedTo.getOrDefault(shard, "")))
                .toList();
        List<BlockedAt> found = store.blockedDestinations(connection, after, MOST_DESTINATIONS);
        // Whoever has any left is among those found. So a shard that is not has come to its end, and begins anew.
        open.values().forEach(lookedTo::remove);
        if (found.size() == MOST_DESTINATIONS) {
            found.forEach(at -> lookedTo.put(open.get(at.shard()), at.destination()));
        }
        return found;
    }
}
