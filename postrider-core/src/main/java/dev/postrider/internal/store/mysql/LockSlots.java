package dev.postrider.internal.store.mysql;

import dev.postrider.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

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

    /** Waits until nobody else holds any of them. In the order of their rows, whatever that of the names. */
    void hold(Connection connection, Collection<String> names) throws SQLException {
        SortedSet<Integer> slots = new TreeSet<>();
        names.forEach(name -> slots.add(slot(name)));
        for (int slot : slots) {
            if (!locked(connection, lock, slot)) {
                throw new SQLException("the table " + table + " has lost its rows");
            }
        }
    }

    /**
     * @return false if somebody else holds it
     */
    boolean tryHold(Connection connection, String name) throws SQLException {
        return locked(connection, lock + " skip locked", slot(name));
    }

    private static int slot(String name) {
        return Math.floorMod(name.hashCode(), SLOTS);
    }

    private static boolean locked(Connection connection, String statement, int slot) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setInt(1, slot);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }
}
