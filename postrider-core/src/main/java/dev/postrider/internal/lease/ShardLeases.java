package dev.postrider.internal.lease;

import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.LogStore.Shares;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the shards of a log evenly between the relays that are alive. With every renewal of its relay's lease it
 * renews the relay's shards, takes free ones while it has fewer than its share, and marks those to be handed over when
 * it has more. A relay's share follows from the list of all that are alive, oldest first, so that all of them come to
 * the same result and nothing moves without need.
 *
 * <p>A shard that this relay holds and cannot read, because the thread that should has died or stands still, is not renewed;
 * somebody else takes it, beyond its share if need be, and has it for a while.
 *
 * <p>The lease's thread calls {@link #renew}; the relay's thread the rest.
 */
public final class ShardLeases implements AlsoRenewed, HeldShards {
    private static final Logger log = LoggerFactory.getLogger(ShardLeases.class);

    private static final int RENEWALS_UNTIL_ORPHANED = 3;
    private static final long ADOPTED_FOR = Duration.ofMinutes(1).toNanos();

    private final String name;
    private final LogStore store;
    private final Runnable onChange;
    private final IntPredicate readable;

    /** Shards this relay holds: how often each was taken from dead relays since it last made progress. */
    private final Map<Integer, Integer> held = new HashMap<>();

    /** Those of them that others are waiting for. */
    private final Set<Integer> leaving = new HashSet<>();

    private final Set<Integer> progressed = new HashSet<>();

    /** For how many renewals in a row a shard has been nobody's. The lease's thread only. */
    private final Map<Integer, Integer> orphaned = new HashMap<>();

    /** Taken beyond this relay's share because nobody else did, and when. */
    private final Map<Integer, Long> adopted = new HashMap<>();

    /** Nothing is taken any more: the relay is stopping. */
    private boolean closed;

    /**
     * @param onChange told when the relay has got a shard or is to hand one over
     */
    public ShardLeases(String name, LogStore store, Runnable onChange) {
        this(name, store, onChange, shard -> true);
    }

    /**
     * @param readable whether the relay can read a shard at the moment
     */
    public ShardLeases(String name, LogStore store, Runnable onChange, IntPredicate readable) {
        this.readable = readable;
        this.name = name;
        this.store = store;
        this.onChange = onChange;
    }

    @Override
    public void renew(Connection connection, String owner, Duration length) throws SQLException {
        boolean changed = dropUnreadable();
        // Only what is held: a shard that was given up and whose lease could not be released must expire.
        Set<Integer> toldOf = progressed();
        Shares shares = store.renewShards(connection, owner, length, held().keySet(), toldOf);
        forgetProgress(toldOf);
        changed |= balance(shares, owner);
        int share = share(shares, owner);
        for (int shard = 0; shard < store.shards(); shard++) {
            boolean orphan = isOrphan(shard, !shares.taken().contains(shard));
            if (!shares.taken().contains(shard) && readable.test(shard) && (wants(share) || orphan && !isClosed())) {
                boolean beyondShare = !wants(share);
                int takeovers = store.takeShard(connection, shard, owner, length);
                changed |= takeovers >= 0;
                if (takeovers >= 0) {
                    taken(shard, takeovers, beyondShare);
                }
            }
        }
        if (changed) {
            onChange.run();
        }
    }

    private synchronized boolean dropUnreadable() {
        boolean dropped = false;
        for (Integer shard : Set.copyOf(held.keySet())) {
            if (!readable.test(shard)) {
                log.error("[{}] shard {} is not read any more: other relays may take its lease", name, shard);
                held.remove(shard);
                dropped = true;
            }
        }
        return dropped;
    }

    /** Free for longer than it takes anybody to notice whose share it is. */
    private boolean isOrphan(int shard, boolean free) {
        if (!free) {
            orphaned.remove(shard);
            return false;
        }
        return orphaned.merge(shard, 1, Integer::sum) > RENEWALS_UNTIL_ORPHANED;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized Set<Integer> progressed() {
        return Set.copyOf(progressed);
    }

    /** Once the database knows of it. */
    private synchronized void forgetProgress(Set<Integer> toldOf) {
        progressed.removeAll(toldOf);
    }

    /** What others have taken is theirs; what is more than this relay's share is to be handed over. */
    private synchronized boolean balance(Shares shares, String owner) {
        boolean changed = held.keySet().retainAll(shares.mine());
        leaving.retainAll(held.keySet());
        long now = System.nanoTime();
        // After a while whoever has fewer may be able to read it again.
        adopted.values().removeIf(since -> now - since > ADOPTED_FOR);
        adopted.keySet().retainAll(held.keySet());
        int excess = ownShare() - share(shares, owner);
        for (Integer shard : new TreeSet<>(held.keySet()).descendingSet()) {
            if (excess > 0 && !adopted.containsKey(shard) && leaving.add(shard)) {
                log.info("[{}] shard {} is to be handed over", name, shard);
                excess--;
                changed = true;
            }
        }
        return changed;
    }

    private int share(Shares shares, String owner) {
        return FairShare.of(owner, shares.relays(), store.shards());
    }

    private int ownShare() {
        Set<Integer> counted = new HashSet<>(held.keySet());
        counted.removeAll(leaving);
        counted.removeAll(adopted.keySet());
        return counted.size();
    }

    private synchronized boolean wants(int share) {
        return !closed && ownShare() < share;
    }

    private synchronized void taken(int shard, int takeovers, boolean beyondShare) {
        held.put(shard, takeovers);
        leaving.remove(shard);
        if (beyondShare) {
            adopted.put(shard, System.nanoTime());
        }
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
        adopted.clear();
    }
}
