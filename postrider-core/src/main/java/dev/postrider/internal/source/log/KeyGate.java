package dev.postrider.internal.source.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which keys of a shard are closed: those with events beside the log. A key is closed from before such an event is
 * recorded until after its end is recorded, so that no later event can overtake one that waits.
 */
final class KeyGate {
    private final Map<Long, Integer> holds = new HashMap<>();

    /** Closed keys whose first event may be sent, as far as is known. In turn: those that were sent from last come last. */
    private final Set<Long> ready = new LinkedHashSet<>();

    /** Closed keys with an event that waits for its destination: the first such event. */
    private final Map<Long, Long> blocked = new HashMap<>();

    /** How many of a closed key's events are in flight. */
    private final Map<Long, Integer> inFlight = new HashMap<>();

    boolean isClosed(long key) {
        return holds.containsKey(key);
    }

    int closedKeys() {
        return holds.size();
    }

    void raise(long key) {
        raise(key, 1);
    }

    void raise(long key, int by) {
        holds.merge(key, by, Integer::sum);
    }

    void lower(long key) {
        holds.computeIfPresent(key, (any, count) -> count > 1 ? count - 1 : null);
        if (!isClosed(key)) {
            ready.remove(key);
            blocked.remove(key);
        }
    }

    void ready(long key) {
        if (isClosed(key)) {
            ready.add(key);
        }
    }

    /** An event of the key waits for its destination. */
    void block(long key, long id) {
        blocked.merge(key, id, Math::min);
    }

    /** It waits no longer. */
    void unblock(long key, long id) {
        blocked.remove(key, id);
    }

    /** Whether an earlier event of the key waits for its destination: then nobody need look at the key for this one. */
    boolean isBlockedBefore(long key, long id) {
        Long first = blocked.get(key);
        return first != null && first < id;
    }

    int readyKeys() {
        return ready.size();
    }

    void waits(long key) {
        ready.remove(key);
    }

    boolean isReady(long key) {
        return ready.contains(key) && !inFlight.containsKey(key);
    }

    boolean hasReady() {
        return ready.stream().anyMatch(key -> !inFlight.containsKey(key));
    }

    /** Some keys to look at: ready, and nothing of them in flight. */
    List<Long> readyKeys(int limit) {
        return readyKeys(limit, key -> true);
    }

    List<Long> readyKeys(int limit, Predicate<Long> which) {
        List<Long> keys = new ArrayList<>();
        for (Long key : ready) {
            if (keys.size() >= limit) {
                break;
            }
            if (!inFlight.containsKey(key) && which.test(key)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** All other keys that are ready have their turn before it has another one. */
    void sent(long key) {
        inFlight.merge(key, 1, Integer::sum);
        if (ready.remove(key)) {
            ready.add(key);
        }
    }

    void answered(long key) {
        inFlight.computeIfPresent(key, (any, count) -> count > 1 ? count - 1 : null);
    }

    boolean isAnythingInFlight() {
        return !inFlight.isEmpty();
    }
}
