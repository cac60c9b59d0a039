package dev.postrider.store.jdbc;

import dev.postrider.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Locks by name on MariaDB and MySQL, for the length of the caller's transaction. The named locks of these databases
 * belong to a session, so that a lock is one of a fixed number of rows here, by the hash of its name.
 */
final class LockSlots {
    /** As many rows as the migrations have inserted. */
    private static final int SLOTS = 997;

    private final String table;
    private final String lock;

    /**
     * @param owner the table to which that of the locks belongs
     */
    LockSlots(OutboxTable owner) {
        this.table = tableOf(owner);
        this.lock = "select slot from " + table + " where slot = ? for update";
    }

    static String tableOf(OutboxTable owner) {
        return MySqlSql.quoted(new OutboxTable(owner.schema(), owner.name() + "_lock").sql());
    }

    /** Waits until nobody else holds it. */
    void hold(Connection connection, String name) throws SQLException {
        if (!locked(connection, lock, name)) {
            throw new SQLException("the table " + table + " has lost its rows");
        }
    }

    /**
     * @return false if somebody else holds it
     */
    boolean tryHold(Connection connection, String name) throws SQLException {
        return locked(connection, lock + " skip locked", name);
    }

    private static boolean locked(Connection connection, String statement, String name) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setInt(1, Math.floorMod(name.hashCode(), SLOTS));
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }
}
