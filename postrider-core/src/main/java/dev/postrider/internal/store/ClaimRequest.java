package dev.postrider.internal.store;

import dev.postrider.Ordering;
import dev.postrider.Split;
import java.util.Set;

/**
 * How much to claim, and which part of the events.
 *
 * @param owner written into {@code locked_by}
 * @param ordering order per key, or by due time alone
 * @param scan at most so many rows are looked at that are due at once, and half as many whose due time has come
 * @param maxEvents at most so many are taken
 * @param maxBytes stop before the events taken, with their headers, add up to more; one event is always taken
 * @param maxEventBytes of a larger event nothing is read but that it is there: it is unsendable
 * @param split the share of a static split
 * @param fromId of what is due at once, only rows with this id or a higher one are looked at
 * @param except rows that cannot be changed: they are not looked at, and close their keys
 */
public record ClaimRequest(
        String owner,
        Ordering ordering,
        int scan,
        int maxEvents,
        long maxBytes,
        long maxEventBytes,
        Split split,
        long fromId,
        Set<Long> except) {

    public ClaimRequest {
        except = Set.copyOf(except);
    }

    /** Looks at everything, however large. */
    public ClaimRequest(String owner, Ordering ordering, int scan, int maxEvents, long maxBytes, Split split) {
        this(owner, ordering, scan, maxEvents, maxBytes, Long.MAX_VALUE, split, 0, Set.of());
    }

    /**
     * Of those whose due time has come, which are mostly retries and older than what was just written: with half of the places
     * they leave the other half to new events, however many of them there are. Without an order per key the due time decides.
     */
    public int scanOfDue() {
        return ordering == Ordering.KEY ? (scan + 1) / 2 : scan;
    }

    /** The same, looking at fewer rows. */
    public ClaimRequest withScan(int fewer) {
        return new ClaimRequest(owner, ordering, fewer, maxEvents, maxBytes, maxEventBytes, split, fromId, except);
    }
}
