package dev.postrider.internal.source;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Where a claim begins to look for events that are due at once: not at the very first id, because what was sent leaves its
 * entry in the index behind, and while some transaction stays open the database can remove none of them.
 *
 * <p>Order does not depend on it: what holds back an event is looked for everywhere. What may be missed below is missed for a
 * while only, since every now and then a claim looks everywhere:
 * <ul>
 *   <li>events of transactions that were open for long: ids are drawn before the commit. So the bound keeps a second behind
 *       what is claimed, by the age of the events;
 *   <li>events that others give back, release or send again. What this relay itself gives back, it looks for at once.
 * </ul>
 *
 * <p>Called by the relay's thread.
 */
final class LookFrom {
    static final long EVERYWHERE = 0;

    /** Transactions that take no longer than this are not kept waiting. */
    private static final long LAG = Duration.ofSeconds(1).toNanos();

    private static final long SHORTEST_INTERVAL = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_INTERVAL = Duration.ofSeconds(10).toNanos();

    /** Looking everywhere takes at most this share of the time, as long as the longest interval allows it. */
    private static final int SHARE = 50;

    /**
     * Nothing was due below this id.
     *
     * @param born when the events there were written, by this machine's monotonic clock
     */
    private record Bound(long id, long born) {}

    private final Deque<Bound> young = new ArrayDeque<>();
    private long from = EVERYWHERE;
    private long nextEverywhere;

    LookFrom(long now) {
        this.nextEverywhere = now;
    }

    /** The lowest id to look at. */
    long next(long now) {
        while (!young.isEmpty() && now - young.peek().born() >= LAG) {
            from = Math.max(from, young.remove().id());
        }
        return now - nextEverywhere >= 0 ? EVERYWHERE : from;
    }

    /**
     * @param began where the claim looked from
     * @param lowest of the ids that it met
     * @param age of the youngest event there that it took
     * @param taken how long it took
     */
    void met(long began, long lowest, Duration age, long now, long taken) {
        if (lowest < from) {
            from = lowest;
            young.clear();
        }
        young.add(new Bound(lowest, now - age.toNanos()));
        looked(began, now, taken);
    }

    /** As {@link #met}, but there was nothing to take. */
    void looked(long began, long now, long taken) {
        if (began == EVERYWHERE) {
            nextEverywhere = now + Math.max(SHORTEST_INTERVAL, Math.min(LONGEST_INTERVAL, taken * SHARE));
        }
    }

    /** Something may be due anywhere. */
    void lookEverywhere(long now) {
        nextEverywhere = now;
    }
}
