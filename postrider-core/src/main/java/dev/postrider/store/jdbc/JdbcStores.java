package dev.postrider.store.jdbc;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.store.AdminStore;
import dev.postrider.store.OutboxStore;
import dev.postrider.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;

/** Picks the store that speaks a connection's database, and puts its errors into words. */
public final class JdbcStores {
    private static final String UNDEFINED_TABLE = "42P01";

    private JdbcStores() {}

    public static OutboxStore forConnection(Connection connection, OutboxTable table) throws SQLException {
        return forConnection(connection, table, ContentHash.sha256());
    }

    /**
     * @param hash by which events are written and checked
     */
    public static OutboxStore forConnection(Connection connection, OutboxTable table, ContentHash hash)
            throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (product.equals("PostgreSQL")) {
            return new PostgresStore(table, hash);
        }
        throw new PostriderException("The database is " + product + "; Postrider can use PostgreSQL 13 or newer.");
    }

    /** The operators' side of the same. */
    public static AdminStore adminForConnection(Connection connection, OutboxTable table, ContentHash hash)
            throws SQLException {
        forConnection(connection, table, hash);
        return new PostgresAdminStore(table, hash);
    }

    /** What a user can do about an error of the database. */
    public static PostriderException explain(SQLException e, OutboxTable table) {
        if (UNDEFINED_TABLE.equals(e.getSQLState())) {
            return new PostriderException(
                    "There is no outbox table " + table
                            + " in this database. Create it with OutboxSchema.migrate(..) or 'postrider migrate'.",
                    e);
        }
        return new PostriderException("The database of outbox " + table + " cannot be used: " + e.getMessage(), e);
    }
}
