package dev.postrider.lease;

import dev.postrider.store.log.LogStore;
import dev.postrider.store.log.LogStore.Shares;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the shards of a log evenly between the relays that are alive. With every renewal of its relay's lease it
 * renews the relay's shards, takes free ones while it has fewer than its share, and marks those to be handed over when
 * it has more. A relay's share follows from the list of all that are alive, oldest first, so that all of them come to
 * the same result and nothing moves without need.
 *
 * <p>The lease's thread calls {@link #renew}; the relay's thread the rest.
 */
public final class ShardLeases implements AlsoRenewed, HeldShards {
    private static final Logger log = LoggerFactory.getLogger(ShardLeases.class);

    private final String name;
    private final LogStore store;
    private final Runnable onChange;

    /** Shards this relay holds: how often each was taken from dead relays since it last made progress. */
    private final Map<Integer, Integer> held = new HashMap<>();

    /** Those of them that others are waiting for. */
    private final Set<Integer> leaving = new HashSet<>();

    private final Set<Integer> progressed = new HashSet<>();

    /** Nothing is taken any more: the relay is stopping. */
    private boolean closed;

    /**
     * @param onChange told when the relay has got a shard or is to hand one over
     */
    public ShardLeases(String name, LogStore store, Runnable onChange) {
        this.name = name;
        this.store = store;
        this.onChange = onChange;
    }

    @Override
    public void renew(Connection connection, String owner, Duration length) throws SQLException {
        // Only what is held: a shard that was given up and whose lease could not be released must expire.
        Shares shares = store.renewShards(connection, owner, length, held().keySet(), takeProgressed());
        boolean changed = balance(shares, owner);
        int share = share(shares, owner);
        for (int shard = 0; shard < store.shards() && wants(share); shard++) {
            if (!shares.taken().contains(shard)) {
                int takeovers = store.takeShard(connection, shard, owner, length);
                changed |= takeovers >= 0;
                if (takeovers >= 0) {
                    taken(shard, takeovers);
                }
            }
        }
        if (changed) {
            onChange.run();
        }
    }

    private synchronized Set<Integer> takeProgressed() {
        Set<Integer> copy = Set.copyOf(progressed);
        progressed.clear();
        return copy;
    }

    /** What others have taken is theirs; what is more than this relay's share is to be handed over. */
    private synchronized boolean balance(Shares shares, String owner) {
        boolean changed = held.keySet().retainAll(shares.mine());
        leaving.retainAll(held.keySet());
        int excess = held.size() - leaving.size() - share(shares, owner);
        for (Integer shard : new TreeSet<>(held.keySet()).descendingSet()) {
            if (excess > 0 && leaving.add(shard)) {
                log.info("[{}] shard {} is to be handed over", name, shard);
                excess--;
                changed = true;
            }
        }
        return changed;
    }

    private int share(Shares shares, String owner) {
        int relays = Math.max(1, shares.relays().size());
        int rank = shares.relays().indexOf(owner);
        int rest = rank >= 0 && rank < store.shards() % relays ? 1 : 0;
        return store.shards() / relays + rest;
    }

    private synchronized boolean wants(int share) {
        return !closed && held.size() - leaving.size() < share;
    }

    private synchronized void taken(int shard, int takeovers) {
        held.put(shard, takeovers);
        leaving.remove(shard);
    }

    @Override
    public synchronized Map<Integer, Integer> held() {
        return Map.copyOf(held);
    }

    @Override
    public synchronized Set<Integer> leaving() {
        return Set.copyOf(leaving);
    }

    @Override
    public synchronized void released(int shard) {
        held.remove(shard);
        leaving.remove(shard);
        onChange.run();
    }

    @Override
    public synchronized void progressed(int shard) {
        Integer takeovers = held.get(shard);
        if (takeovers != null && takeovers > 0) {
            held.put(shard, 0);
            progressed.add(shard);
        }
    }

    /** One shard, for a thread that reads no other. */
    public HeldShards only(int shard) {
        return new HeldShards() {
            @Override
            public Map<Integer, Integer> held() {
                Integer takeovers = ShardLeases.this.held().get(shard);
                return takeovers == null ? Map.of() : Map.of(shard, takeovers);
            }

            @Override
            public Set<Integer> leaving() {
                return ShardLeases.this.leaving().contains(shard) ? Set.of(shard) : Set.of();
            }

            @Override
            public void released(int any) {
                ShardLeases.this.released(any);
            }

            @Override
            public void progressed(int any) {
                ShardLeases.this.progressed(any);
            }
        };
    }

    /** Takes no more shards. */
    public synchronized void close() {
        closed = true;
    }

    @Override
    public synchronized void forget() {
        held.clear();
        leaving.clear();
        progressed.clear();
    }
}
