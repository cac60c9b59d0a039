package dev.postrider;

import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.internal.write.Storable;
import dev.postrider.publish.TopicRouting;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes events in the caller's transaction: an event exists if and only if the transaction commits. Writing is one
 * INSERT and nothing else. The transaction is that of the given connection or, without one, the {@link
 * CurrentTransaction}. Any thread.
 */
public final class Outbox {
    private static final CurrentTransaction UNKNOWN = new UnknownTransaction(
            "This outbox does not know which transaction this thread is in. Call write(connection, event) with the"
                    + " connection that the data is written on, or build the outbox with"
                    + " Outbox.builder().currentTransaction(..).");

    private final OutboxTable table;
    private final @Nullable String source;
    private final @Nullable TopicRouting routing;
    private final ContentHash hash;
    private final EventMapping<Object> mapping;
    private final CurrentTransaction transaction;
    private final Supplier<Map<String, String>> contextHeaders;

    /** Always the same, so that it runs once for a transaction, however many events that writes. */
    private final @Nullable Runnable afterCommit;

    /** Which database it is is asked once, of the first connection. */
    private volatile @Nullable OutboxStore store;

    private Outbox(Builder builder) {
        this.table = builder.table;
        this.source = builder.source;
        this.routing = builder.routing;
        this.hash = builder.hash;
        this.mapping = builder.mapping;
        this.transaction = builder.transaction;
        this.contextHeaders = builder.contextHeaders;
        Runnable action = builder.afterCommit;
        this.afterCommit = action == null ? null : () -> AfterCommit.run(action);
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Writes an event in the current transaction.
     *
     * @throws NoTransactionException if there is none, or this outbox was built without a {@link
     *     Builder#currentTransaction}
     */
    public void write(OutboxEvent event) {
        Objects.requireNonNull(event, "event");
        write(List.of(event));
    }

    /** Writes several events in the current transaction, in this order, as one statement batch. */
    public void write(Collection<OutboxEvent> events) {
        Objects.requireNonNull(events, "events");
        if (!events.isEmpty()) {
            write(current(), events);
            tellAfterCommit();
        }
    }

    /** Writes a domain event in the current transaction. */
    public <D> void write(EventMapping<? super D> mapping, D domainEvent) {
        write(event(mapping, domainEvent));
    }

    /**
     * Writes a domain event in the current transaction, with the mapping that this outbox was built with; for a
     * collection, each element in order.
     *
     * @throws PostriderException if this outbox has no {@link Builder#mapping}, or the mapping does not know such
     *     events
     * @throws NoTransactionException if there is no transaction
     */
    public void write(Object domainEvent) {
        Objects.requireNonNull(domainEvent, "domainEvent");
        Collection<?> all = domainEvent instanceof Collection<?> several ? several : List.of(domainEvent);
        write(all.stream().map(this::mapped).toList());
    }

    private OutboxEvent mapped(Object domainEvent) {
        return domainEvent instanceof OutboxEvent event ? event : event(mapping, domainEvent);
    }

    /**
     * The same as {@link #writeOnce(Connection, OutboxEvent)}, in the current transaction.
     *
     * @throws NoTransactionException if there is none
     */
    public boolean writeOnce(OutboxEvent event) {
        Objects.requireNonNull(event, "event");
        boolean written = writeOnce(current(), event);
        if (written) {
            tellAfterCommit();
        }
        return written;
    }

    private Connection current() {
        return Objects.requireNonNull(transaction.connection(), "connection of the current transaction");
    }

    private void tellAfterCommit() {
        if (afterCommit != null) {
            transaction.afterCommit(afterCommit);
        }
    }

    /**
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public void write(Connection connection, OutboxEvent event) {
        Objects.requireNonNull(event, "event");
        write(connection, List.of(event));
    }

    /** Writes a domain event. One outbox takes as many mappings as there are kinds of events. */
    public <D> void write(Connection connection, EventMapping<? super D> mapping, D domainEvent) {
        write(connection, event(mapping, domainEvent));
    }

    private static <D> OutboxEvent event(EventMapping<? super D> mapping, D domainEvent) {
        Objects.requireNonNull(mapping, "mapping");
        Objects.requireNonNull(domainEvent, "domainEvent");
        return Objects.requireNonNull(mapping.toEvent(domainEvent), "what the mapping returned");
    }

    /** Writes several events, in this order, as one statement batch. */
    public void write(Connection connection, Collection<OutboxEvent> events) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(events, "events");
        if (events.isEmpty()) {
            return;
        }
        Map<String, String> context = context();
        List<OutboxEvent> complete =
                events.stream().map(event -> complete(event, context)).toList();
        requireDifferent(complete);
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException();
            }
            store(connection).insert(connection, complete);
        } catch (SQLException e) {
            throw explain(e, complete);
        }
    }

    private static void requireDifferent(List<OutboxEvent> events) {
        Set<Object> seen = new HashSet<>();
        for (OutboxEvent event : events) {
            if (!seen.add(event.id())) {
                throw new PostriderException(
                        "Event " + event.id() + " (" + event.type() + ") is given twice, which consumers"
                                + " would take for one. Nothing was written. Each event is built once, and written once.");
            }
            if (event.requestId() != null && !seen.add(event.requestId())) {
                throw new PostriderException("Two of the events have the same request id, " + event.requestId()
                        + ", which must be unique. Nothing was written.");
            }
        }
    }

    /**
     * Writes an event unless there is one with the same request id. If another transaction is just writing one, waits
     * for that transaction. Only events that are still in the outbox count; retention decides how long that is.
     *
     * @return false if there was one; then nothing was written, and the transaction can continue
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean writeOnce(Connection connection, OutboxEvent event) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(event, "event");
        if (event.requestId() == null) {
            throw new PostriderException("Event " + event.type() + " has no request id; call requestId(..).");
        }
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException();
            }
            return store(connection).insertOnce(connection, complete(event, context()));
        } catch (SQLException e) {
            throw explain(e, List.of(event));
        }
    }

    private static OutboxEvent noMapping(Object domainEvent) {
        throw new PostriderException("This outbox has no mapping for a "
                + domainEvent.getClass().getName() + "; nothing was written. Call write(mapping, event), or build the"
                + " outbox with Outbox.builder().mapping(..).");
    }

    private Map<String, String> context() {
        return Objects.requireNonNull(contextHeaders.get(), "context headers");
    }

    private OutboxEvent complete(OutboxEvent event, Map<String, String> context) {
        Objects.requireNonNull(event, "event");
        if (routing != null) {
            routing.topicOf(event.type());
        }
        OutboxEvent sourced = event.source() != null || source == null ? event : event.withSource(source);
        OutboxEvent complete = sourced.withContext(context);
        Storable.requireEvent(complete);
        return complete;
    }

    private OutboxStore store(Connection connection) throws SQLException {
        OutboxStore known = store;
        if (known == null) {
            known = Databases.of(connection).outboxStore(table, hash);
            // Those in memory come and go with the tests.
            if (!connection.isWrapperFor(ConnectionWithStores.class)) {
                store = known;
            }
        }
        return known;
    }

    private PostriderException explain(SQLException e, List<OutboxEvent> events) {
        if (SqlErrors.isDuplicate(e) && events.stream().anyMatch(event -> event.requestId() != null)) {
            return new PostriderException(
                    "An event with this request id is in outbox " + table
                            + " already. Roll this transaction back: the request was handled before. Outbox.writeOnce"
                            + " tells so without an error.",
                    e);
        }
        return Explanation.ofOutbox(e, table);
    }

    /** Options of an outbox's write side. */
    public static final class Builder {
        private OutboxTable table = OutboxTable.DEFAULT;
        private @Nullable String source;
        private @Nullable TopicRouting routing;
        private ContentHash hash = ContentHash.sha256();
        private EventMapping<Object> mapping = Outbox::noMapping;
        private CurrentTransaction transaction = UNKNOWN;
        private Supplier<Map<String, String>> contextHeaders = Map::of;
        private @Nullable Runnable afterCommit;

        private Builder() {}

        /** Default: {@code outbox}, in the connection's own schema. */
        public Builder table(OutboxTable table) {
            this.table = Objects.requireNonNull(table, "table");
            return this;
        }

        /** The CloudEvents source of events that do not set one: usually the application's name. Default: none. */
        public Builder source(String source) {
            this.source = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * Refuses events that cannot be routed to a topic when they are written, instead of when they are sent.
         * Default: events of every type are written.
         */
        public Builder routing(TopicRouting routing) {
            this.routing = Objects.requireNonNull(routing, "routing");
            return this;
        }

        /**
         * A secret of at least 16 bytes: the hash stored with each event becomes an HMAC that only its holders can
         * make. Relays need the same key and then send no event without it, so plain SQL cannot write to such an
         * outbox. Default: none, plain SHA-256.
         */
        public Builder integrityKey(byte[] key) {
            this.hash = ContentHash.hmac(Objects.requireNonNull(key, "key"));
            return this;
        }

        /**
         * The mapping that {@link Outbox#write(Object)} applies to domain events: {@link EventMapping#forOpen} of
         * {@code Object}, for example. Default: none, and domain events are passed together with their mapping.
         */
        public Builder mapping(EventMapping<Object> mapping) {
            this.mapping = Objects.requireNonNull(mapping, "mapping");
            return this;
        }

        /**
         * Where {@link Outbox#write(OutboxEvent)} finds the transaction of the calling thread. Default: none, and only
         * the methods that take a connection can be used.
         */
        public Builder currentTransaction(CurrentTransaction transaction) {
            this.transaction = Objects.requireNonNull(transaction, "transaction");
            return this;
        }

        /**
         * Adds headers to the events of each write. It is called on the writing thread, for example to add the current trace,
         * and must return at once. An event that has one of these headers itself gets none of them. Default: none.
         */
        public Builder contextHeaders(Supplier<Map<String, String>> headers) {
            this.contextHeaders = Objects.requireNonNull(headers, "headers");
            return this;
        }

        /**
         * Runs after each commit of a current transaction in which events were written: {@code relay::nudge} for a
         * relay in this process, {@code notifier::committed} ({@link CommitNotifier}) for relays elsewhere. It must
         * return at once. Default: none, and relays find the events at their next poll.
         */
        public Builder afterCommit(Runnable action) {
            this.afterCommit = Objects.requireNonNull(action, "action");
            return this;
        }

        public Outbox build() {
            if (afterCommit != null && transaction == UNKNOWN) {
                throw new PostriderException(
                        "An outbox with afterCommit(..) needs currentTransaction(..) too: commits of"
                                + " connections that are handed to it are not its to see.");
            }
            return new Outbox(this);
        }
    }
}
