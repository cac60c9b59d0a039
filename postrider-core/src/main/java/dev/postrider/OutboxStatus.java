package dev.postrider;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of an outbox.
 *
 * @param layout how it is read and delivered
 * @param counts events by state; see {@link #isAtLeast}
 * @param scheduled of a log: events that wait for their time; in claim mode they count as pending
 * @param oldestUnsent age of the oldest event that is neither published nor dead; null if there is none
 * @param shards of a log: how far each was read; a shard that is missing here has no cursor
 * @param relays the relays that are alive or have died recently
 * @param openTransactions the oldest transactions that have written and are still open: their events are delivered
 *     later
 * @param blocked destinations that accept nothing and that events wait for, at most 100
 * @param unread rows that no relay sends by itself
 * @param failOvers of a log: shards that continued after a fail-over of the database, the latest first, at most 100
 * @param pause null unless an operator has paused the outbox
 * @param stream what wakes relays with {@link WakeUp#WAL}; null on a database that has no such thing
 */
public record OutboxStatus(
        OutboxLayout layout,
        Map<EventStatus, Long> counts,
        long scheduled,
        @Nullable Duration oldestUnsent,
        List<Shard> shards,
        List<RelayLease> relays,
        List<OpenTransaction> openTransactions,
        List<BlockedDestination> blocked,
        Unread unread,
        List<FailOver> failOvers,
        @Nullable OutboxPause pause,
        @Nullable Stream stream) {

    /** Counting stops here, so that a status costs little however large the table is. */
    public static final int COUNT_CAP = 1_000_000;

    public OutboxStatus {
        counts = Map.copyOf(counts);
        shards = List.copyOf(shards);
        relays = List.copyOf(relays);
        openTransactions = List.copyOf(openTransactions);
        blocked = List.copyOf(blocked);
        failOvers = List.copyOf(failOvers);
    }

    /** Without a stream. */
    public OutboxStatus(
            OutboxLayout layout,
            Map<EventStatus, Long> counts,
            long scheduled,
            @Nullable Duration oldestUnsent,
            List<Shard> shards,
            List<RelayLease> relays,
            List<OpenTransaction> openTransactions,
            List<BlockedDestination> blocked,
            Unread unread,
            List<FailOver> failOvers,
            @Nullable OutboxPause pause) {
        this(
                layout,
                counts,
                scheduled,
                oldestUnsent,
                shards,
                relays,
                openTransactions,
                blocked,
                unread,
                failOvers,
                pause,
                null);
    }

    /** Not paused, no blocked destinations, no unread rows, no fail-over. */
    public OutboxStatus(
            OutboxLayout layout,
            Map<EventStatus, Long> counts,
            long scheduled,
            @Nullable Duration oldestUnsent,
            List<Shard> shards,
            List<RelayLease> relays,
            List<OpenTransaction> openTransactions) {
        this(
                layout,
                counts,
                scheduled,
                oldestUnsent,
                shards,
                relays,
                openTransactions,
                List.of(),
                Unread.NONE,
                List.of(),
                null);
    }

    OutboxStatus with(@Nullable Stream found) {
        return new OutboxStatus(
                layout,
                counts,
                scheduled,
                oldestUnsent,
                shards,
                relays,
                openTransactions,
                blocked,
                unread,
                failOvers,
                pause,
                found);
    }

    public long count(EventStatus state) {
        return counts.getOrDefault(state, 0L);
    }

    /** Whether there may be more events of a state than were counted. */
    public boolean isAtLeast(EventStatus state) {
        return count(state) >= COUNT_CAP
                || state == EventStatus.PENDING && shards.stream().anyMatch(Shard::atLeast);
    }

    /**
     * One part of a log.
     *
     * @param owner the relay that reads it; null if none does
     * @param takeovers how often its reader changed, as far as the cursor's history goes back
     * @param events number of committed events ahead of its cursor
     * @param atLeast whether counting them stopped there
     * @param oldest age of the first of them; null if there is none
     * @param unmoved time since its cursor moved
     */
    public record Shard(
            int number,
            @Nullable String owner,
            long takeovers,
            long events,
            boolean atLeast,
            @Nullable Duration oldest,
            Duration unmoved) {}

    /**
     * One relay.
     *
     * @param owner its name
     * @param alive whether its lease is valid
     * @param sending in claim mode: how many events it has claimed and not settled
     * @param age time since it started
     * @param circuit closed, open or half-open
     */
    public record RelayLease(String owner, boolean alive, long sending, Duration age, String circuit) {}

    /**
     * A topic, a partition or a URL that accepts nothing.
     *
     * @param name for a partition {@code topic/3}
     * @param events how many wait for it; counting stops at {@link #COUNT_CAP}
     * @param since how long the first of them has waited
     * @param reason why, as the relay saw it last
     */
    public record BlockedDestination(String name, long events, Duration since, String reason) {}

    /**
     * Rows that are neither delivered nor waiting: no relay looks at them.
     *
     * @param unexpectedStatus number of rows whose status does not belong to the outbox's mode; counting stops at {@link
     *     #CAP}
     * @param passedIds of a log: rows whose ids had already been passed when they were written, as far as relays have
     *     found them; at most {@link #CAP}
     */
    public record Unread(long unexpectedStatus, List<Long> passedIds) {
        /** Counting stops here. */
        public static final int CAP = 1_000;

        public static final Unread NONE = new Unread(0, List.of());

        public Unread {
            passedIds = List.copyOf(passedIds);
        }
    }

    /**
     * A shard that continued after the database had failed over to another server: the events that the old server had
     * delivered last may have been delivered again, even with exactly once.
     *
     * @param ago time since a relay took the shard over on the new server
     * @param fromTimeline of the old server
     * @param toTimeline of the new one
     */
    public record FailOver(int shard, Duration ago, int fromTimeline, int toTimeline) {}

    /**
     * The replication stream that wakes relays.
     *
     * @param reader the relay that reads it and notifies the others; null if none does: relays are woken by notifications and
     *     polling alone
     * @param lacking what the database lacks for such a stream, a sentence each; empty if nothing
     */
    public record Stream(@Nullable String reader, List<String> lacking) {
        public Stream {
            lacking = List.copyOf(lacking);
        }
    }

    /**
     * A transaction in progress.
     *
     * @param pid its server process; null if it was prepared for a two-phase commit and has none
     * @param gid the name under which it was prepared; null if it was not
     */
    public record OpenTransaction(
            @Nullable Integer pid, @Nullable String gid, Duration age, String state) {}
}
