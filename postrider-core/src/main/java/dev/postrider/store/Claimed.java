package dev.postrider.store;

import java.util.List;

/**
 * The answer to a claim.
 *
 * @param events now SENDING and the claimer's, in the order in which they are to be sent
 * @param unsendable rows that were claimed but must not or cannot be sent, each with what is wrong with it
 * @param held rows that were set aside behind a failed event of their key
 * @param seen rows that were due and not locked by anyone else, taken or not
 * @param lowest id of those that were due at once; 0 if there were none
 */
public record Claimed(List<StoredEvent> events, List<Settlement.Dead> unsendable, int held, int seen, long lowest) {
    public Claimed {
        events = List.copyOf(events);
        unsendable = List.copyOf(unsendable);
    }
}
