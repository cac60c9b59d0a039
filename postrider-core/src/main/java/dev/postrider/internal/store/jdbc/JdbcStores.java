package dev.postrider.internal.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** Picks the store that speaks a connection's database, and puts its errors into words. */
public final class JdbcStores {
    /** The mode of an outbox while it is being changed. */
    static final String CHANGING = "changing";

    static final String ABORTED =
            "The transaction was already aborted by an earlier error, so that nothing more can be done"
                    + " in it. Roll it back; what the earlier statement threw says why.";

    private JdbcStores() {}

    public static OutboxStore forConnection(Connection connection, OutboxTable table) throws SQLException {
        return forConnection(connection, table, ContentHash.sha256());
    }

    /**
     * @param hash by which events are written and checked
     */
    public static OutboxStore forConnection(Connection connection, OutboxTable table, ContentHash hash)
            throws SQLException {
        if (connection.isWrapperFor(ConnectionWithStores.class)) {
            return connection.unwrap(ConnectionWithStores.class).outboxStore(table);
        }
        return switch (DatabaseFamily.of(connection)) {
            case POSTGRESQL -> new PostgresStore(table, hash);
            case MYSQL -> new MySqlStore(table, hash);
        };
    }

    /**
     * What was decided for an outbox. Whoever is about to use one asks this first.
     *
     * @throws PostriderException if its tables are not complete, or of a version that cannot be used, or if it is being
     *     changed at the moment
     */
    public static OutboxLayout layout(Connection connection, OutboxTable table) throws SQLException {
        OutboxStore store = forConnection(connection, table);
        SchemaVersion.of(connection, table).requireUsable();
        String mode = store.setting(connection, "mode");
        if (mode.equals(CHANGING)) {
            String command = store.note(connection, "changing_command");
            throw new PostriderException("Outbox " + table + " is being changed; run '"
                    + (command == null ? "postrider alter" : command) + "' again to finish it.");
        }
        return layout(table, mode, store.setting(connection, "shards"), store.setting(connection, "delivery"));
    }

    static OutboxLayout layout(OutboxTable table, String mode, String shards, String delivery) {
        try {
            return new OutboxLayout(
                    OutboxMode.valueOf(mode.toUpperCase(Locale.ROOT)),
                    Integer.parseInt(shards),
                    Delivery.valueOf(delivery.toUpperCase(Locale.ROOT).replace('-', '_')));
        } catch (IllegalArgumentException e) {
            throw new PostriderException("Outbox " + table + " is in mode [" + mode + "] with [" + shards
                    + "] shards and delivery [" + delivery + "], which this version does not know.");
        }
    }

    /** The log of an outbox in log mode. */
    public static LogStore log(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        return new PostgresLogStore(table, layout.shards(), hash);
    }

    /** The operators' side of an outbox, by the mode that is stored with it. */
    public static AdminStore adminForConnection(Connection connection, OutboxTable table, ContentHash hash)
            throws SQLException {
        OutboxLayout layout = layout(connection, table);
        if (DatabaseFamily.of(connection) == DatabaseFamily.MYSQL) {
            return JdbcAdminStore.onMySql(table, hash);
        }
        return layout.mode() == OutboxMode.LOG
                ? JdbcAdminStore.ofLog(table, hash, layout.shards())
                : JdbcAdminStore.ofClaims(table, hash);
    }

    /**
     * What changes the layout of an outbox.
     *
     * @throws PostriderException if there is only one it can have
     */
    public static AlterStore alterForConnection(Connection connection, OutboxTable table) throws SQLException {
        if (DatabaseFamily.of(connection) == DatabaseFamily.MYSQL) {
            throw new PostriderException("Outbox " + table + " is on MariaDB or MySQL, where there is claim mode only:"
                    + " there is nothing to change.");
        }
        return new PostgresAlterStore(table);
    }

    /** What a user can do about an error of the database. */
    public static PostriderException explain(SQLException e, OutboxTable table) {
        if (SqlErrors.isMissingTable(e)) {
            return new PostriderException(
                    "There is no outbox table " + table
                            + " in this database. Create it with OutboxSchema.migrate(..) or 'postrider migrate'.",
                    e);
        }
        if (SqlErrors.isAborted(e)) {
            return new PostriderException(ABORTED, e);
        }
        return new PostriderException("The database of outbox " + table + " cannot be used: " + e.getMessage(), e);
    }
}
