package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A family of databases: everything that Postrider does differently on one family and on another begins here. {@code
 * Databases} chooses the one that a connection leads to; nobody else asks which it is. Stateless; any thread.
 */
public interface Database {

    // ---- stores

    /** With the hash of those who have no key. */
    default OutboxStore outboxStore(OutboxTable table) {
        return outboxStore(table, ContentHash.sha256());
    }

    /**
     * @param hash by which events are written and checked
     */
    OutboxStore outboxStore(OutboxTable table, ContentHash hash);

    /**
     * The log of an outbox in log mode.
     *
     * @throws PostriderException if there is no log mode
     */
    LogStore logStore(OutboxTable table, OutboxLayout layout, ContentHash hash);

    /** The operators' side of an outbox. */
    AdminStore adminStore(OutboxTable table, OutboxLayout layout, ContentHash hash);

    /**
     * What changes the layout of an outbox.
     *
     * @throws PostriderException if there is only one it can have
     */
    AlterStore alterStore(OutboxTable table);

    /** An inbox, and the locks by name. */
    InboxStore inboxStore(OutboxTable table);

    /** Whether writers can notify relays in other processes. */
    default boolean hasNotifications() {
        return true;
    }

    /** What wakes relays by a replication stream; null if there is none that they can read. */
    default @Nullable WalStream walStream(OutboxTable table) {
        return null;
    }

    // ---- an outbox that is there

    /** Of an outbox whose settings can be read. */
    default SchemaVersion version(Connection connection, OutboxTable table) throws SQLException {
        return SchemaVersion.of(outboxStore(table), connection, table);
    }

    /**
     * What was decided for an outbox. Whoever is about to use one asks this first.
     *
     * @throws PostriderException if its tables are not complete, or of a version that cannot be used, or if it is being
     *     changed at the moment
     */
    default OutboxLayout layout(Connection connection, OutboxTable table) throws SQLException {
        version(connection, table).requireUsable();
        return StoredLayout.read(outboxStore(table), connection, table);
    }

    /**
     * @param connection in autocommit mode
     * @throws PostriderException if it is not a session of its own, which relays, migrate and alter need here, and {@code
     *     pooling} does not promise that either
     */
    void requireOwnSession(Connection connection, Pooling pooling) throws SQLException;

    // ---- tables

    /** What a new outbox has unless it is said otherwise. */
    OutboxLayout standardLayout();

    /**
     * The tables of an outbox.
     *
     * @throws PostriderException if an outbox cannot have this layout here
     */
    Schema outboxSchema(OutboxTable table, OutboxLayout layout);

    Schema inboxSchema(OutboxTable table);

    /**
     * Brings tables up to date, one process at a time.
     *
     * @return how many versions were applied
     */
    int migrate(Connection connection, Schema schema) throws SQLException;

    Catalogue catalogue();

    /**
     * @param statement creates an index, and is not ended
     * @return creates it without keeping writers waiting, as far as that is possible
     */
    String createIndex(String statement);

    /**
     * @param sql a name as {@link OutboxTable} quotes it
     */
    String quoted(String sql);

    /** How points in time are stored. */
    Times times();
}
