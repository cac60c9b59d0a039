package dev.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an outbox stands.
 *
 * @param mode how it is read
 * @param counts events by state; a count that reached {@link #COUNT_CAP} is "at least"
 * @param oldestUnsent age of the oldest event that is neither published nor dead; null if there is none
 * @param relays the relays that are alive or have died lately
 * @param openTransactions the oldest transactions that have written and not ended: their events come later
 */
public record OutboxStatus(
        String mode,
        Map<EventStatus, Long> counts,
        @Nullable Duration oldestUnsent,
        List<RelayLease> relays,
        List<OpenTransaction> openTransactions) {

    /** Counting stops here, so that looking costs little however large the table is. */
    public static final int COUNT_CAP = 1_000_000;

    public OutboxStatus {
        counts = Map.copyOf(counts);
        relays = List.copyOf(relays);
        openTransactions = List.copyOf(openTransactions);
    }

    /**
     * One relay.
     *
     * @param owner its name
     * @param alive whether its lease holds
     * @param sending how many events it has claimed and not settled
     * @param age since it started
     * @param circuit closed, open or half-open
     */
    public record RelayLease(String owner, boolean alive, long sending, Duration age, String circuit) {}

    /** A transaction in progress, by its server process. */
    public record OpenTransaction(int pid, Duration age, String state) {}
}
