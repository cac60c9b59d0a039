package dev.postrider.internal.store.postgres.wal;

import dev.postrider.internal.store.log.Snapshot;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Transactions that the stream told of and that could not be seen yet. The stream may tell of a commit while the transaction
 * still is among the running ones: usually for less than a millisecond, with synchronous replication for as long as the standby
 * takes. A relay that was woken now would find nothing and go to sleep again.
 *
 * <p>So each number is looked for in new snapshots, after 0.2 ms, then less and less often, down to every 50 ms. Whoever takes a
 * snapshot later than one that sees a transaction sees it too.
 *
 * <p>{@link #add} and {@link #missed} are called by the stream's thread, the others by the bell's.
 */
final class Rings {
    private static final long SHORTEST = Duration.ofNanos(200_000).toNanos();
    private static final long LONGEST = Duration.ofMillis(50).toNanos();

    /** More are not remembered: then it rings as soon as a snapshot can be had at all. */
    private static final int MOST = 100_000;

    private final Set<Integer> unseen = new HashSet<>();
    private boolean fresh;
    private boolean missed;
    private long delay = SHORTEST;
    private long lookedAt;

    Rings(long now) {
        this.lookedAt = now - LONGEST;
    }

    /** The lower half of the number of a transaction that has committed. */
    synchronized void add(int transaction) {
        if (unseen.size() < MOST) {
            unseen.add(transaction);
        } else {
            missed = true;
        }
        fresh = true;
    }

    /** There may be commits that nothing is known of. */
    synchronized void missed() {
        missed = true;
        fresh = true;
    }

    /** How long until the next look; a new ring waits only for the shortest time since the last one, so that many become one. */
    synchronized long nanosLeft(long now) {
        if (unseen.isEmpty() && !missed) {
            return Long.MAX_VALUE;
        }
        return lookedAt + (fresh ? SHORTEST : delay) - now;
    }

    /** Before a snapshot is taken: what is told from here on may not be in it. */
    synchronized void looking(long now) {
        lookedAt = now;
        delay = fresh ? SHORTEST : Math.min(delay * 2, LONGEST);
        fresh = false;
    }

    /**
     * @return whether anything can be seen that could not be seen before
     */
    synchronized boolean look(Snapshot snapshot) {
        boolean seen = unseen.removeIf(transaction -> snapshot.sees(widened(transaction, snapshot.end())));
        seen |= missed;
        missed = false;
        return seen;
    }

    /** The whole number: of those with the same lower half the one that is closest to the end of the snapshot. */
    static long widened(int transaction, long end) {
        return end + (transaction - (int) end);
    }
}
