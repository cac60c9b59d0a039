package dev.postrider.internal.source.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How many events of each key are in flight, and those that wait because their key has as many as it may have. Where events of
 * a key go one at a time, a key with many of them could otherwise fill the relay's hand, and all others would wait for it.
 * Used by the relay's thread alone.
 *
 * @param <E> an event
 */
final class KeyShares<E> {
    private final int most;
    private final Map<Long, Integer> inFlight = new HashMap<>();

    /** By key and by their places in the order. */
    private final Map<Long, NavigableMap<Long, E>> behind = new HashMap<>();

    /**
     * @param most of a key; the largest integer for no limit, which then costs nothing
     */
    KeyShares(int most) {
        this.most = most;
    }

    /**
     * @return false if the event has to wait: then it is kept here
     */
    boolean take(long key, long place, E event) {
        if (most == Integer.MAX_VALUE) {
            return true;
        }
        NavigableMap<Long, E> earlier = behind.get(key);
        boolean overtakes = earlier != null && earlier.firstKey() < place;
        if (overtakes || inFlight.getOrDefault(key, 0) >= most) {
            behind.computeIfAbsent(key, any -> new TreeMap<>()).put(place, event);
            return false;
        }
        inFlight.merge(key, 1, Integer::sum);
        return true;
    }

    /**
     * An event of the key is in flight no longer.
     *
     * @return one that need not wait any more, for which {@link #take} is asked again
     */
    @Nullable
    E giveBack(long key) {
        inFlight.computeIfPresent(key, (any, count) -> count > 1 ? count - 1 : null);
        return next(key);
    }

    /** The first event of the key that waits, which then does not any more. */
    @Nullable
    E next(long key) {
        NavigableMap<Long, E> events = behind.get(key);
        if (events == null) {
            return null;
        }
        E first = events.pollFirstEntry().getValue();
        if (events.isEmpty()) {
            behind.remove(key);
        }
        return first;
    }

    int waiting() {
        return behind.values().stream().mapToInt(Map::size).sum();
    }

    Stream<E> events() {
        return behind.values().stream().flatMap(events -> events.values().stream());
    }

    /** Those that wait, in the order of each key; none of them does any more. */
    List<E> clear() {
        List<E> all = new ArrayList<>(events().toList());
        behind.clear();
        return all;
    }
}
