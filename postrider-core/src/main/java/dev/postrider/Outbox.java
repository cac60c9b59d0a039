package dev.postrider;

import dev.postrider.publish.TopicRouting;
import dev.postrider.store.ConnectionWithStores;
import dev.postrider.store.OutboxStore;
import dev.postrider.store.SqlErrors;
import dev.postrider.store.jdbc.JdbcStores;
import dev.postrider.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes events, in the caller's transaction, on the caller's connection: the event exists if and
 * only if the transaction commits. One INSERT and nothing else. Any thread.
 */
public final class Outbox {
    private final OutboxTable table;
    private final @Nullable String source;
    private final @Nullable TopicRouting routing;
    private final ContentHash hash;

    /** Which database it is is asked once, of the first connection. */
    private volatile @Nullable OutboxStore store;

    private Outbox(Builder builder) {
        this.table = builder.table;
        this.source = builder.source;
        this.routing = builder.routing;
        this.hash = builder.hash;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public void write(Connection connection, OutboxEvent event) {
        write(connection, List.of(event));
    }

    /** Writes several events, in this order, as one statement batch. */
    public void write(Connection connection, Collection<OutboxEvent> events) {
        if (events.isEmpty()) {
            return;
        }
        List<OutboxEvent> complete = events.stream().map(this::complete).toList();
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException();
            }
            store(connection).insert(connection, complete);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /**
     * Writes an event unless there is one with the same request id, also one that another transaction is just writing: that
     * one is waited for. Only events that are still in the outbox count: how long that is, retention decides.
     *
     * @return false if there was one; then nothing was written, and the transaction can go on
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean writeOnce(Connection connection, OutboxEvent event) {
        if (event.requestId() == null) {
            throw new PostriderException("Event " + event.type() + " has no request id; call requestId(..).");
        }
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException();
            }
            return store(connection).insertOnce(connection, complete(event));
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    private OutboxEvent complete(OutboxEvent event) {
        if (routing != null) {
            routing.topicOf(event.type());
        }
        return event.source() != null || source == null ? event : event.withSource(source);
    }

    private OutboxStore store(Connection connection) throws SQLException {
        OutboxStore known = store;
        if (known == null) {
            known = JdbcStores.forConnection(connection, table, hash);
            // Those in memory come and go with the tests.
            if (!connection.isWrapperFor(ConnectionWithStores.class)) {
                store = known;
            }
        }
        return known;
    }

    private PostriderException explain(SQLException e) {
        if (SqlErrors.isDuplicate(e)) {
            return new PostriderException(
                    "An event with this request id is in outbox " + table
                            + " already. Roll this transaction back: the request was handled before. Outbox.writeOnce"
                            + " tells so without an error.",
                    e);
        }
        return JdbcStores.explain(e, table);
    }

    /** Options of an outbox's write side. */
    public static final class Builder {
        private OutboxTable table = OutboxTable.DEFAULT;
        private @Nullable String source;
        private @Nullable TopicRouting routing;
        private ContentHash hash = ContentHash.sha256();

        private Builder() {}

        /** Default: {@code outbox}, in the connection's own schema. */
        public Builder table(OutboxTable table) {
            this.table = table;
            return this;
        }

        /** The CloudEvents source of events that name none: usually the application's name. Default: none. */
        public Builder source(String source) {
            this.source = source;
            return this;
        }

        /**
         * Refuses events that could not be routed to a topic when they are written, instead of when
         * they are sent. Default: whatever the type, it is written.
         */
        public Builder routing(TopicRouting routing) {
            this.routing = routing;
            return this;
        }

        /**
         * A secret of at least 16 bytes: the hash stored with each event becomes an HMAC that only its
         * holders can make. Relays need the same, and then take no event without it, so plain SQL
         * cannot write to such an outbox. Default: none, plain SHA-256.
         */
        public Builder integrityKey(byte[] key) {
            this.hash = ContentHash.hmac(key);
            return this;
        }

        public Outbox build() {
            return new Outbox(this);
        }
    }
}
