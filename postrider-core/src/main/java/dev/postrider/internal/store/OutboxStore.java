package dev.postrider.internal.store;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What Postrider asks of a database: one implementation per family, whole statements, no state of its
 * own. Every method runs on the connection it is given; but for {@link #insert}, which takes part in
 * the caller's transaction, that is a relay's own connection in autocommit mode prepared by
 * {@link #prepareRelaySession}.
 */
public interface OutboxStore {

    // ---- writing

    void insert(Connection connection, Collection<OutboxEvent> events) throws SQLException;

    /**
     * Writes an event unless there is one with the same request id. Waits for a transaction that has written such a one
     * and has not ended.
     *
     * @return whether it was written; if not, the transaction can go on
     */
    boolean insertOnce(Connection connection, OutboxEvent event) throws SQLException;

    // ---- claiming

    /** Isolation, timeouts and planner settings a relay's connection needs. */
    void prepareRelaySession(Connection connection) throws SQLException;

    /** Undoes {@link #prepareRelaySession}, before the connection goes back to a pool. */
    void restoreSession(Connection connection) throws SQLException;

    /**
     * Before a relay claims anything over a connection.
     *
     * @throws dev.postrider.PostriderException if this server cannot keep the order that is asked for
     */
    void checkOrdering(Connection connection, Ordering ordering) throws SQLException;

    /**
     * Takes due events, at once or not at all. With order per key an event is taken only if every earlier
     * unfinished event of its key is taken with it.
     */
    Claimed claim(Connection connection, ClaimRequest request) throws SQLException;

    /** What a relay looks at every few seconds, in one statement that costs next to nothing. */
    Outlook outlook(Connection connection) throws SQLException;

    /**
     * @param suspects whether events are due that relays have died with
     * @param next how long until something becomes due, not negative; null if nothing waits for its time
     */
    record Outlook(boolean suspects, @Nullable Duration next) {}

    /** How many relays have died with them: each number once, in ascending order, as far as a look at some of them tells. */
    List<Integer> deathsOfSuspects(Connection connection) throws SQLException;

    /**
     * As {@link #claim}, of the events that so many relays have died with and of no others, with order per key whatever is
     * asked for.
     */
    Claimed claimSuspects(Connection connection, ClaimRequest request, int deaths) throws SQLException;

    /**
     * Records outcomes other than death, one statement per kind of outcome.
     *
     * @return the ids that were recorded; an event that is missing was fenced: its row is no longer the claimer's
     */
    Set<Long> settle(Connection connection, List<Settlement> settlements, OnPublished onPublished) throws SQLException;

    /**
     * Records deaths: the state of the row and the dead letter, both or neither.
     *
     * @param holdKeys whether the keys stay closed until a person has decided
     * @return as {@link #settle}
     */
    Set<Long> bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) throws SQLException;

    /** The same without the dead letter, which is safe elsewhere. */
    Set<Long> buryWithoutLetter(Connection connection, List<Settlement.Dead> dead, boolean holdKeys)
            throws SQLException;

    /** What is done row by row when one of the others fails because of some of its rows. */
    SingleRows singly();

    /** Claimed rows, each as one line of JSON with everything that is in it, by id. */
    Map<Long, String> describe(Connection connection, List<? extends Settlement> claimed) throws SQLException;

    /**
     * Opens keys that nothing holds any more: their HELD events, the first {@code limit} of them, are PENDING again.
     *
     * @param fromKey closed keys are looked at from this one on, by their hashes
     * @param keys at most so many
     */
    HeldKeys releaseHeld(Connection connection, long fromKey, int keys, int limit) throws SQLException;

    /**
     * The same, of keys of which something has changed.
     *
     * @return how many events go on
     */
    int releaseHeld(Connection connection, Collection<Long> keys, int limit) throws SQLException;

    /**
     * @param keys how many closed keys were looked at
     * @param last of them
     * @param events how many go on
     */
    record HeldKeys(int keys, long last, int events) {}

    // ---- destinations that take nothing

    /** Which destinations events wait for, in their order: the first ones after a given one. */
    List<String> blockedDestinations(Connection connection, String after, int limit) throws SQLException;

    /**
     * Lets events go on that wait for a destination, those written first before others.
     *
     * @return how many
     */
    int releaseBlocked(Connection connection, String destination, int limit) throws SQLException;

    /** The same whatever they wait for, by destination and id, after the one at which it ended the last time. */
    ReleasedTo releaseAnyBlocked(Connection connection, ReleasedTo after, int limit) throws SQLException;

    /**
     * Lets those go on that waited behind a blocked event that is no longer there: it was delivered, for instance, and its
     * destination takes nothing again before they had their turn. Whether they wait for it themselves shows when they are sent.
     *
     * @param after where the last look ended
     * @param limit at most so many blocked events are looked at
     * @return how many go on, and where the look ended; at the end of them {@link ReleasedTo#START}'s place
     */
    ReleasedTo releaseFollowers(Connection connection, ReleasedTo after, int limit) throws SQLException;

    /**
     * @param destination of the last one
     * @param id of the last one
     */
    record ReleasedTo(String destination, long id, int events) {
        public static final ReleasedTo START = new ReleasedTo("", 0, 0);
    }

    // ---- relays alive

    /**
     * Takes or renews the lease that says this relay is alive.
     *
     * @param state what {@code status} shows of it: its circuit; after a comma, that its destination does not answer
     */
    void renewInstance(Connection connection, String owner, Duration length, String state) throws SQLException;

    /**
     * Gives up a lease, and puts back at once what stands under its name: its holder lives and knows of
     * nothing any more, so no event is counted as one that a relay died with.
     */
    void releaseInstance(Connection connection, String owner) throws SQLException;

    /** Puts back what relays had claimed that are no longer alive, at most {@code limit} rows. */
    int recoverStalled(Connection connection, int limit) throws SQLException;

    // ---- wake-ups between processes

    /** Tells listening relays that something was committed. Never on the connection of a writer. */
    void notifyCommit(Connection connection) throws SQLException;

    /**
     * Calls back, on a thread of its own, when a writer in any process has told of a commit. Calls may
     * be missing: polling is the safety net. Until closed, keeps one connection.
     *
     * @param deafTo the relay's own bell, which has woken it already
     */
    CommitListener listen(
            DataSource dataSource, NetworkTimeouts network, String name, String deafTo, Runnable onCommit);

    /** A subscription to commits. */
    interface CommitListener extends AutoCloseable {
        /** Returns at once; it ends before long. */
        default void askToStop() {}

        @Override
        void close();
    }

    // ---- housekeeping

    /**
     * Takes a job's lease if it is free, expired or the owner's already.
     *
     * @return whether the owner holds it now
     */
    boolean tryLease(Connection connection, String name, String owner, Duration length) throws SQLException;

    /** Gives a lease up, if it is the owner's. */
    void releaseLease(Connection connection, String name, String owner) throws SQLException;

    /** Deletes, of the next {@code limit} published events, those published longer ago. */
    Purged purgePublished(Connection connection, Duration olderThan, Purged.Position after, int limit)
            throws SQLException;

    /** What housekeeping wrote down under a name; null if nothing. */
    @Nullable
    String note(Connection connection, String name) throws SQLException;

    void putNote(Connection connection, String name, String text) throws SQLException;

    /** The database's clock. */
    Instant now(Connection connection) throws SQLException;

    // ---- looking

    /** The value of one of the outbox's settings. */
    String setting(Connection connection, String name) throws SQLException;

    /** How the outbox stands, asked in the way of its mode. */
    StatusStore statusStore(Connection connection) throws SQLException;

    /**
     * Of claim mode. What a gauge may cost: at most {@code cap} index entries are counted.
     */
    Backlog backlog(Connection connection, int cap) throws SQLException;

    /**
     * What waits to be sent.
     *
     * @param count events not yet published, at most the cap
     * @param oldest age of the oldest of them, by the database's clock
     */
    record Backlog(long count, Duration oldest) {}
}
