package dev.postrider.internal.store;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ClosedKey;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.ReplayExtent;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.Retried;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask of a database, beside what relays ask of it by {@link OutboxStore}. Whatever
 * changes something runs in a transaction of the caller's, after {@link #beginChange}, together with
 * the {@link #record} of it.
 */
public interface AdminStore {

    // ---- looking

    /** The dead letters that died last, without their payloads. */
    List<DeadLetter> find(Connection connection, DeadLetterSelection selection, int limit) throws SQLException;

    /** How many match; counting stops at the cap. */
    long count(Connection connection, DeadLetterSelection selection, int cap) throws SQLException;

    /** Keys whose events wait behind one of them, at a bounded cost. */
    List<ClosedKey> closedKeys(Connection connection, int limit) throws SQLException;

    /**
     * @param maxBytes how large an event may be, with its headers, to come with its payload
     */
    Optional<DeadLetterContent> read(Connection connection, long id, long maxBytes) throws SQLException;

    // ---- changing

    /**
     * At the begin of a transaction: waits for other operators, so that one changes things at a time,
     * and makes every statement see what was committed before it.
     */
    void beginChange(Connection connection) throws SQLException;

    /**
     * Has events sent again under their old ids, and forgets their letters: in claim mode they are PENDING, in log
     * mode the request is left for the relays that own their shards. Events that cannot come back under their ids, because
     * their rows are gone or, in log mode, another event has got the id, are written again, in their order, behind all
     * others.
     *
     * @param acceptChanges whether rows that were changed after they were written are sent as they are now
     * @throws PostriderException if changes are accepted that need the key of the hash
     */
    Retried retry(Connection connection, DeadLetterSelection selection, boolean acceptChanges, String actor)
            throws SQLException;

    /** Deletes dead events and their letters, for ever. */
    Discarded discard(Connection connection, DeadLetterSelection selection, String actor) throws SQLException;

    /**
     * Brings back one event from a line of the dead letter file.
     *
     * @param event whose line it is
     */
    Restored restore(Connection connection, SavedEvent event, String actor) throws SQLException;

    /**
     * A line of the dead letter file.
     *
     * @param id of its row when it died
     * @param whole whether the line has the payload; of an event that was too large for it, it has not
     * @param json the whole line
     */
    record SavedEvent(
            long id,
            UUID eventId,
            String aggregateType,
            String aggregateId,
            @Nullable String eventKey,
            boolean whole,
            String json) {}

    /** What became of an event in the dead letter file. */
    enum Restored {
        /** It was dead and will be sent again under its old id. */
        BACK,
        /** Its row was gone, or its id another event's; it was written again, with the same event id. */
        INSERTED,
        /** It is there and not dead: somebody has dealt with it, or its relay died before it had recorded its death. */
        HANDLED,
        /** It was brought back or discarded before, and its row is gone since. */
        HANDLED_BEFORE,
        /** Its row is gone, and another event was written under its request id. */
        REPLACED,
        /** Its row is gone, and its line does not have the payload. */
        GONE
    }

    // ---- sending published events once more

    /** How much there is to send, as it stands now. */
    ReplayExtent extent(Connection connection, ReplayScope scope, long afterId) throws SQLException;

    /**
     * The next published events after an id, in the order of their ids: as many as the limits allow, at
     * least one. Ends early before a row that cannot be sent.
     *
     * @throws PostriderException if the first one cannot be sent: it cannot be read, was changed, or is too large
     */
    List<PublishedEvent> published(Connection connection, ReplayScope scope, long afterId, long lastId, Limits limits)
            throws SQLException;

    /**
     * How much may be in memory at a time.
     *
     * @param eventBytes how large one event may be, with its headers
     */
    record Limits(int events, long bytes, long eventBytes) {}

    /**
     * An event and its place.
     *
     * @param keyHash events whose order matters to each other have the same
     */
    record PublishedEvent(long id, long keyHash, OutboxEvent event) {}

    // ---- what operators did

    /** Writes down who did what to how many, at the database's time, and returns the entry's id. */
    long record(Connection connection, String actor, String action, String selector, long affected) throws SQLException;

    /** Corrects the number of an entry while its action goes on. */
    void recordProgress(Connection connection, long entry, long affected) throws SQLException;

    /** The latest entries, the last one first. */
    List<AuditEntry> audit(Connection connection, int limit) throws SQLException;
}
