package dev.postrider.internal.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a claim.
 *
 * @param events now SENDING and the claimer's, in the order in which they are to be sent
 * @param unsendable rows that were claimed but must not or cannot be sent, each with what is wrong with it
 * @param held rows that were set aside behind a failed event of their key
 * @param heldKeys of these
 * @param seen rows that were due and not locked by anyone else, taken or not
 * @param lowest id of those that were due at once; 0 if there were none
 * @param next when something else becomes due
 */
public record Claimed(
        List<StoredEvent> events,
        List<Settlement.Dead> unsendable,
        int held,
        Set<Long> heldKeys,
        int seen,
        long lowest,
        Next next) {

    /** Without a look at what becomes due. */
    public Claimed(List<StoredEvent> events, List<Settlement.Dead> unsendable, int held, int seen, long lowest) {
        this(events, unsendable, held, Set.of(), seen, lowest, Next.UNKNOWN);
    }

    public Claimed {
        events = List.copyOf(events);
        unsendable = List.copyOf(unsendable);
        heldKeys = Set.copyOf(heldKeys);
    }

    /** The same with the keys of those that were set aside. */
    public Claimed withHeldKeys(Set<Long> keys) {
        return new Claimed(events, unsendable, held, keys, seen, lowest, next);
    }

    /** The same with what becomes due next; null if nothing waits for its time. */
    public Claimed withNext(@Nullable Duration wait) {
        return new Claimed(events, unsendable, held, heldKeys, seen, lowest, new Next(true, wait));
    }

    /**
     * @param known whether it was looked for
     * @param in how long until then; null if nothing waits for its time
     */
    public record Next(boolean known, @Nullable Duration in) {
        public static final Next UNKNOWN = new Next(false, null);
    }
}
