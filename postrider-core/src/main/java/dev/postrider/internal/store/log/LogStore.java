package dev.postrider.internal.store.log;

import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a relay asks of a log-mode outbox's database: whole statements, no state of its own. Every method runs on
 * a relay's own connection in autocommit mode.
 */
public interface LogStore {

    /** Into how many parts the log is divided. */
    int shards();

    /** Settings of a connection that reads the log again and again, over those of a relay's connections. */
    void prepareSession(Connection connection) throws SQLException;

    // ---- is it the same database?

    Cluster cluster(Connection connection) throws SQLException;

    /**
     * Refuses an outbox that cannot be read in order: one whose ids are not drawn in order, or whose rows or cursors come
     * from another cluster.
     *
     * @throws dev.postrider.PostriderException that says what to do
     */
    void check(Connection connection) throws SQLException;

    // ---- taking a shard over

    /** The newest row of a shard's cursor; null if it has none. */
    @Nullable
    Cursor cursor(Connection connection, int shard) throws SQLException;

    /** The newest row that belongs to this batch or an earlier one; null if there is none. */
    @Nullable
    Cursor cursorOfBatch(Connection connection, int shard, long batch) throws SQLException;

    /**
     * Adds a row with the newest one's position and a new owner: from now on whoever had the shard before can
     * record nothing.
     *
     * @param floor as {@link Append#floor}
     * @return null if somebody else was quicker
     */
    @Nullable
    Cursor fence(Connection connection, int shard, String owner, Cluster cluster, Floor floor) throws SQLException;

    /** For each of the transaction numbers the newest mark below it, as far as there is one that holds. */
    List<Mark> marks(Connection connection, Collection<Long> below) throws SQLException;

    /** Events of transactions after {@code txId} have ids above {@code floor}. */
    record Mark(long txId, long floor) {}

    /** Gives out a transaction number for a mark, whose floor was read before. */
    long mark(Connection connection) throws SQLException;

    /**
     * After ids have begun anew: events beside the log and dead letters whose ids are given out again get other ones, below
     * all others. A reference to a row that is gone cannot be kept.
     *
     * @param end of the ids
     * @return those of which nothing was left but a reference: they are lost
     */
    List<Long> renumberParked(Connection connection, int shard, Floor end) throws SQLException;

    /** Keys of a shard that are closed. */
    List<Hold> holds(Connection connection, int shard) throws SQLException;

    /**
     * A closed key.
     *
     * @param events how many close it
     * @param abandoned whether relays have died with one of them
     * @param sendable whether the first of them may be sent now
     * @param blockedAt the first of them, if that waits for its destination; otherwise 0
     */
    record Hold(long keyHash, int events, boolean abandoned, boolean sendable, long blockedAt) {}

    // ---- reading

    Head head(Connection connection) throws SQLException;

    /**
     * The end of the log, all of it at one moment.
     *
     * @param snapshot what is visible
     * @param ids how far ids have been drawn
     * @param server which server says so
     */
    record Head(String snapshot, Floor ids, Server server) {
        public long lastId() {
            return ids.lastId();
        }
    }

    /**
     * How far ids have been drawn: later transactions draw higher ones, as long as the sequence is the same.
     *
     * @param sequence changes whenever the sequence is restarted or altered
     * @param lastId the latest id that was drawn
     */
    record Floor(long sequence, long lastId) {
        /** Nothing is known of later ids. */
        public static final Floor NONE = new Floor(0, 0);

        /** As a mark it voids all before it: ids may have been drawn from anywhere on since. */
        public Floor ofUnknownBeginning() {
            return new Floor(sequence, Long.MIN_VALUE);
        }

        /** Whether ids that were drawn up to then are not drawn again. */
        public boolean holdsAt(Floor now) {
            return sequence == now.sequence && lastId <= now.lastId;
        }
    }

    /**
     * A run of a server.
     *
     * @param startedAt when, by its own clock
     * @param timeline grows with every fail-over to a replica
     */
    record Server(String startedAt, int timeline) {}

    /**
     * The next events of each of the shards' windows. A shard that is not in the answer has none.
     *
     * @param maxEvents of a shard
     * @param limits of all shards together
     */
    Map<Integer, Page> read(Connection connection, List<PageRequest> requests, int maxEvents, Bytes limits)
            throws SQLException;

    /**
     * How much may come over at a time, with headers and names.
     *
     * @param all a read ends before its events add up to more; one event always comes
     * @param event of a larger event nothing is read but that it is there: it is unsendable
     */
    record Bytes(long all, long event) {}

    /**
     * @param afterId only events with higher ids
     * @param lo events visible here are done
     * @param hi only events visible here
     */
    record PageRequest(int shard, long afterId, String lo, String hi) {}

    /**
     * Some events of a window.
     *
     * @param rows by id
     * @param complete there are no more in the window
     */
    record Page(List<Row> rows, boolean complete) {
        public static final Page EMPTY = new Page(List.of(), true);

        /** There are events, and none had room any more. */
        public static final Page LATER = new Page(List.of(), false);

        public Page {
            rows = List.copyOf(rows);
        }
    }

    /**
     * An event as it was read: to be sent, or to be buried because it cannot be.
     *
     * @param scheduled its time has not come
     */
    record Row(@Nullable StoredEvent event, Settlement.@Nullable Dead unsendable, boolean scheduled) {
        public long id() {
            return event != null ? event.claim().id() : dead().claim().id();
        }

        public long keyHash() {
            return event != null ? event.claim().keyHash() : dead().claim().keyHash();
        }

        private Settlement.Dead dead() {
            if (unsendable == null) {
                throw new IllegalStateException("a row is an event or unsendable");
            }
            return unsendable;
        }
    }

    // ---- events beside the log

    /**
     * What the shards' parked events wait for: whose time has come, the oldest first, and what operators ask for.
     *
     * @param limits of each shard: so many whose time has come, and so many requests
     */
    Due due(Connection connection, Map<Integer, Integer> limits) throws SQLException;

    /**
     * @param parked whose time has come, or that operators want to be sent again or discarded
     * @param next how long until the next one's time; null if none waits for its time
     */
    record Due(List<Parked> parked, @Nullable Duration next) {
        public Due {
            parked = List.copyOf(parked);
        }
    }

    /**
     * @param holds whether it closes its key already
     * @param follows whether it has failed and an earlier event closes its key: it cannot be sent before that one
     */
    record Parked(int shard, long id, long keyHash, State state, boolean holds, boolean follows) {}

    /** Why an event stands beside the log. */
    enum State {
        FAILED,
        QUEUED,
        BLOCKED,
        SCHEDULED,
        DEAD,
        RETRY,
        DISCARD
    }

    /**
     * Which destinations the shards' events wait for, in their order. One of each shard that has any, then the second of each,
     * and so on.
     *
     * @param after for each shard, after which destination to begin
     */
    List<BlockedAt> blockedDestinations(Connection connection, Collection<BlockedAt> after, int limit)
            throws SQLException;

    record BlockedAt(int shard, String destination) {}

    /**
     * Events of a shard that wait for their destinations, by destination and id.
     *
     * @param after only those after it
     * @param sameDestination only those that wait for the same
     */
    List<BlockedRow> blocked(Connection connection, int shard, BlockedRow after, boolean sameDestination, int limit)
            throws SQLException;

    /** An event that waits for its destination. */
    record BlockedRow(String destination, long id, long keyHash) {
        /** Comes before all that wait for this destination. */
        public static BlockedRow before(String destination) {
            return new BlockedRow(destination, Long.MIN_VALUE, 0);
        }
    }

    /**
     * The first events of closed keys that may be sent now, in order. An event whose row is gone is not among them:
     * its id is in {@link Queue#gone}. A key that is missing from the answer has events, and none had room any more.
     *
     * @param maxEvents of a key
     * @param limits of all keys together
     */
    List<Queue> queues(Connection connection, List<QueueRequest> keys, int maxEvents, Bytes limits) throws SQLException;

    record QueueRequest(int shard, long keyHash) {}

    record Queue(int shard, long keyHash, List<Row> rows, List<Long> gone) {}

    // ---- recording

    /**
     * Adds rows to the cursors of several shards, with what belongs to them, in one transaction. After an error the same
     * call may be made again.
     *
     */
    Appended append(Connection connection, String owner, Cluster cluster, Recording recording) throws SQLException;

    /**
     * @param fenced shards that somebody else has taken over: of these nothing was written
     * @param txId the transaction in which the others were; 0 if there is none to speak of
     * @param refused dead events whose letters the table does not take; if there are any, nothing was written for their
     *     shards, and the same is to be appended again when they are safe elsewhere
     */
    record Appended(Set<Integer> fenced, long txId, List<Settlement.Dead> refused) {
        public Appended {
            fenced = Set.copyOf(fenced);
            refused = List.copyOf(refused);
        }

        public Appended(Set<Integer> fenced, long txId) {
            this(fenced, txId, List.of());
        }
    }

    /**
     * @param holdDeadKeys whether the keys of dead events stay closed until a person has decided
     * @param unlettered dead events that get no row in the dead letter table: they are safe elsewhere
     * @param durable whether positions must survive a crash of the database; those with changes always do
     */
    record Recording(List<Append> appends, boolean holdDeadKeys, Set<Long> unlettered, boolean durable) {
        public Recording {
            appends = List.copyOf(appends);
            unlettered = Set.copyOf(unlettered);
        }

        public Recording only(Append append) {
            return new Recording(List.of(append), holdDeadKeys, unlettered, durable);
        }

        public Recording withoutLetters(List<Settlement.Dead> more) {
            Set<Long> all = new HashSet<>(unlettered);
            more.forEach(one -> all.add(one.claim().id()));
            return new Recording(appends, holdDeadKeys, all, durable);
        }
    }

    /**
     * Exactly once, after a takeover: records the position that the destination knows, and forgets in the same
     * transaction what belongs to later batches, which were never committed, and the events beside the log that were done
     * in committed ones.
     *
     * @param done ids of these
     * @return whether it was written; if not, somebody else has taken the shard over
     */
    boolean reconcile(Connection connection, String owner, Cluster cluster, Append append, Collection<Long> done)
            throws SQLException;

    /** Events as JSON, one line each, with everything that is in them. */
    Map<Long, String> describe(Connection connection, Collection<Settlement.Dead> dead) throws SQLException;

    /**
     * Deletes, of the next {@code limit} events by id, those written longer ago that the cursors have passed and that
     * nothing beside the log refers to. Ends where all are younger.
     */
    Purged purge(Connection connection, Duration olderThan, Purged.Position after, int limit) throws SQLException;

    /**
     * Looks for rows whose ids had been passed when they were written, so that no window has met them: their writer chose the
     * id, or the sequence was set back and has overtaken its old value since. Looks at the next {@code limit} rows by id, and
     * at as many with the highest ids.
     */
    Passed findPassed(Connection connection, long after, int limit) throws SQLException;

    /**
     * @param rows those that were found
     * @param last the id to go on behind; null if there is nothing behind it
     */
    record Passed(List<PassedRow> rows, @Nullable Long last) {}

    /** A row that no window has met. */
    record PassedRow(long id, long txId) {}

    /** Notes them where {@code status} finds them, beside those that were noted before and are still there. */
    void notePassed(Connection connection, Collection<PassedRow> rows) throws SQLException;

    /** Thins the history of the cursors: how many rows were deleted. */
    int thinCursors(Connection connection, History keep) throws SQLException;

    /**
     * What is kept of the history of the cursors.
     *
     * @param all every row that is younger
     * @param some one row a minute, and every takeover, that is younger
     * @param newest so many of each shard whatever their age
     */
    record History(Duration all, Duration some, int newest) {}

    // ---- who reads which shard

    /**
     * Renews the owner's shards and says how all stand.
     *
     * @param held only these; the owner's lease on another one expires
     * @param progressed those of them whose takeovers are forgotten
     */
    Shares renewShards(
            Connection connection,
            String owner,
            Duration length,
            Collection<Integer> held,
            Collection<Integer> progressed)
            throws SQLException;

    /**
     * @param relays that are alive, those that have been there longest first
     * @param taken shards that somebody holds
     * @param mine those of the owner
     */
    record Shares(List<Member> relays, Set<Integer> taken, Set<Integer> mine) {
        /** A relay whose circuit has not been closed for so long leaves its shards to others. */
        public static final Duration FAILING_AFTER = Duration.ofSeconds(10);

        /**
         * A relay that is alive.
         *
         * @param circuit closed, open or half-open
         * @param failing whether it has not been closed for {@link #FAILING_AFTER}
         */
        public record Member(String owner, String circuit, boolean failing) {
            public boolean isClosed() {
                return circuit.equals("closed");
            }

            /** Wants to find out whether its destination is back, and needs an event for it. */
            public boolean isTrying() {
                return circuit.equals("half-open");
            }
        }

        public Shares {
            relays = List.copyOf(relays);
            taken = Set.copyOf(taken);
            mine = Set.copyOf(mine);
        }
    }

    /**
     * Takes a shard nobody holds.
     *
     * @return how often it has been taken from dead relays since it last made progress; -1 if somebody holds it
     */
    int takeShard(Connection connection, int shard, String owner, Duration length) throws SQLException;

    void releaseShard(Connection connection, int shard, String owner) throws SQLException;

    // ---- looking

    /** How far each shard is behind, by its recorded cursor; counting stops at the cap. */
    List<Lag> lag(Connection connection, int cap) throws SQLException;

    /**
     * @param owner the relay that reads it; null if none does
     * @param takeovers how often it changed hands, as far as the cursor's history goes back
     * @param events committed and ahead of the cursor
     * @param oldest age of the first of them; null if there is none
     * @param moved since the cursor moved
     */
    record Lag(
            int shard,
            @Nullable String owner,
            long takeovers,
            long events,
            @Nullable Duration oldest,
            Duration moved) {}

    /** Events beside the log; counting stops at the cap. */
    ParkedCounts parked(Connection connection, int cap) throws SQLException;

    /**
     * @param oldest how long the first one has waited; nothing if there is none
     */
    record ParkedCounts(long failed, long queued, long blocked, long scheduled, Duration oldest) {}

    /** As {@link OutboxStore#backlog}. */
    Backlog backlog(Connection connection, int cap) throws SQLException;
}
