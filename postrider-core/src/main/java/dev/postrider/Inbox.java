package dev.postrider;

import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.database.InboxStores;
import dev.postrider.internal.write.Storable;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a consumer handle each event once, however often it is delivered. It marks the event as handled in the
 * transaction of the work, on the same connection: both commit, or neither does.
 *
 * <pre>{@code
 * if (inbox.mark(connection, event.id())) {
 *     // the work, on the same connection
 * }
 * connection.commit();
 * }</pre>
 *
 * <p>If another transaction has marked the same event and not yet committed, the call waits until that transaction
 * ends. Use READ COMMITTED on PostgreSQL: with a stricter level such a wait ends with a serialization failure, and you
 * have to try again. Any thread with its own connection.
 */
public final class Inbox {
    /** So many are deleted at a time, each time in a transaction of its own. */
    private static final int PURGED_AT_A_TIME = 1_000;

    private static final int LONGEST_CONSUMER = 200;
    private static final int LONGEST_SUBJECT = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    private static final CurrentTransaction UNKNOWN = new UnknownTransaction(
            "This inbox does not know which transaction this thread is in. Call mark(connection, id) with the connection"
                    + " that the work is done on, or make the inbox with Inbox.of(..).with(currentTransaction).");

    private final String consumer;
    private final InboxStores stores;
    private final CurrentTransaction transaction;

    private Inbox(String consumer, InboxStores stores, CurrentTransaction transaction) {
        this.consumer = shortEnough(consumer, "name of a consumer", LONGEST_CONSUMER);
        this.stores = stores;
        this.transaction = transaction;
    }

    /**
     * With the table {@code inbox}.
     *
     * @param consumer owner of the marks; other consumers handle the same events independently
     */
    public static Inbox of(String consumer) {
        return of(consumer, InboxSchema.TABLE);
    }

    /**
     * @param table {@code table} or {@code schema.table}, as given to {@link InboxSchema#migrate}
     */
    public static Inbox of(String consumer, String table) {
        return new Inbox(consumer, new InboxStores(Objects.requireNonNull(table, "table")), UNKNOWN);
    }

    /** The same inbox, whose methods without a connection work in the current transaction. */
    public Inbox with(CurrentTransaction transaction) {
        return new Inbox(consumer, stores, Objects.requireNonNull(transaction, "transaction"));
    }

    /**
     * The same as {@link #mark(Connection, String)}, in the current transaction.
     *
     * @throws NoTransactionException if there is none, or this inbox was made without {@link #with}
     */
    public boolean mark(String eventId) {
        return mark(transaction.connection(), eventId);
    }

    /** The same as {@link #mark(Connection, Collection)}, in the current transaction. */
    public Set<String> mark(Collection<String> eventIds) {
        return mark(transaction.connection(), eventIds);
    }

    /** The same as {@link #markAction(Connection, String, String, String)}, in the current transaction. */
    public boolean markAction(String aggregateType, String aggregateId, String action) {
        return markAction(transaction.connection(), aggregateType, aggregateId, action);
    }

    /** The same as {@link #answerOnce(Connection, String, Request)}, in the current transaction. */
    public <X extends Exception> Answer answerOnce(String requestId, Request<X> request) throws X {
        return answerOnce(transaction.connection(), requestId, request);
    }

    /**
     * Marks an event as handled.
     *
     * @return true if it was not handled before, so handle it in this transaction; false if it was
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean mark(Connection connection, String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return !mark(connection, List.of(eventId)).isEmpty();
    }

    /**
     * Marks the events of a batch, in one statement.
     *
     * @return the events that were not handled yet, in the given order, each once
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public Set<String> mark(Connection connection, Collection<String> eventIds) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(eventIds, "eventIds");
        Set<String> fresh = new LinkedHashSet<>();
        if (!eventIds.isEmpty()) {
            eventIds.forEach(id -> shortEnough(id, "id of an event", LONGEST_SUBJECT));
            Set<String> marked =
                    stores.call(connection, store -> store.mark(connection, consumer, new TreeSet<>(eventIds)));
            for (String id : eventIds) {
                if (marked.contains(id)) {
                    fresh.add(id);
                } else {
                    log.debug("[{}] event {} was handled before: it is skipped", consumer, id);
                }
            }
        }
        return fresh;
    }

    /**
     * Marks an action on an aggregate that must be done only once, whichever event asks for it.
     *
     * @return true if it was not done yet
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean markAction(Connection connection, String aggregateType, String aggregateId, String action) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(aggregateId, "aggregateId");
        Objects.requireNonNull(action, "action");
        boolean fresh = mark(connection, escaped(aggregateType) + '/' + escaped(aggregateId) + '/' + escaped(action));
        if (!fresh) {
            log.debug(
                    "[{}] action {} of {} {} was done before: it is skipped",
                    consumer,
                    action,
                    aggregateType,
                    aggregateId);
        }
        return fresh;
    }

    /** So that different parts never make the same whole. */
    private static String escaped(String part) {
        return part.replace("~", "~0").replace("/", "~1");
    }

    /** The answer to a request. */
    public record Answer(@Nullable String outcome, boolean repeated) {}

    /** Handles a request in the caller's transaction. */
    @FunctionalInterface
    public interface Request<X extends Exception> {
        /** Returns the answer, usually a JSON document. */
        String handle() throws X;
    }

    /**
     * Handles a request once. The same request gets the same answer again, even if both arrive at the same time. If
     * handling it fails, roll the transaction back: then nothing remembers the request.
     *
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public <X extends Exception> Answer answerOnce(Connection connection, String requestId, Request<X> request)
            throws X {
        Objects.requireNonNull(requestId, "requestId");
        Objects.requireNonNull(request, "request");
        if (!mark(connection, requestId)) {
            Optional<String> outcome = stores.call(
                    connection, store -> Optional.ofNullable(store.outcome(connection, consumer, requestId)));
            return new Answer(outcome.orElse(null), true);
        }
        String outcome = request.handle();
        Storable.requireText(outcome, "answer to a request");
        stores.run(connection, store -> {
            store.keepOutcome(connection, consumer, requestId, outcome);
        });
        return new Answer(outcome, false);
    }

    /**
     * Deletes marks that are older than this, in chunks, each in its own transaction. An event that is delivered again
     * after its mark was deleted is handled again: keep marks for longer than topics keep events.
     *
     * @return how many marks were deleted
     */
    public long purge(DataSource dataSource, Duration age) {
        Objects.requireNonNull(dataSource, "dataSource");
        Objects.requireNonNull(age, "age");
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            InboxStore store = stores.forConnection(connection);
            long deleted = 0;
            int last = PURGED_AT_A_TIME;
            while (last == PURGED_AT_A_TIME) {
                last = store.purge(connection, consumer, age, PURGED_AT_A_TIME);
                deleted += last;
            }
            connection.setAutoCommit(autoCommit);
            return deleted;
        } catch (SQLException e) {
            throw stores.explain(e);
        }
    }

    private static String shortEnough(String text, String what, int longest) {
        Storable.requireText(Objects.requireNonNull(text, what), what);
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        if (text.isBlank() || length > longest) {
            throw new PostriderException(
                    "The " + what + " has " + length + " bytes: it must have 1 to " + longest + ", and not be blank.");
        }
        return text;
    }
}
