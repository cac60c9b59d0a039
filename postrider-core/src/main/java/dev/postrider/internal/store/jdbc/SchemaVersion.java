package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The version of an outbox's tables beside the one that this Postrider makes. Tables that are one version newer can be used:
 * relays of both versions work side by side while they are replaced, one after the other.
 *
 * @param stored 0 if the tables are not complete
 * @param known the newest that this Postrider makes
 */
public record SchemaVersion(OutboxTable table, int stored, int known) {

    /** Of an outbox whose settings can be read. */
    public static SchemaVersion of(OutboxStore store, Connection connection, OutboxTable table) throws SQLException {
        return new SchemaVersion(table, parse(store.note(connection, Schema.VERSION)), OutboxTables.VERSION);
    }

    private static int parse(@Nullable String stored) {
        return stored != null && stored.matches("\\d{1,9}") ? Integer.parseInt(stored) : 0;
    }

    public boolean isComplete() {
        return stored > 0;
    }

    public boolean isNewer() {
        return stored > known;
    }

    /**
     * @throws PostriderException if the outbox cannot be used with this version of Postrider
     */
    public void requireUsable() {
        if (!isComplete()) {
            throw new PostriderException("Outbox " + table
                    + " is not complete: 'postrider migrate' was interrupted, or is" + " still at work. Run it again.");
        }
        if (stored < known) {
            throw new PostriderException("The tables of outbox " + table + " have version " + stored
                    + ", and this Postrider needs " + known + ". Run 'postrider migrate'.");
        }
        if (stored > known + 1) {
            throw new PostriderException(
                    "The tables of outbox " + table + " have version " + stored + "; this Postrider makes version "
                            + known + " and can use one version more. Use a newer Postrider.");
        }
    }
}
