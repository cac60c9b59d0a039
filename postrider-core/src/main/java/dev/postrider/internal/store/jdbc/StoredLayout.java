package dev.postrider.internal.store.jdbc;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** What was decided for an outbox, as its settings say it. */
public final class StoredLayout {
    /** The mode of an outbox while it is being changed. */
    public static final String CHANGING = "changing";

    private StoredLayout() {}

    /**
     * Of tables that can be used.
     *
     * @throws PostriderException if it is being changed at the moment
     */
    public static OutboxLayout read(OutboxStore store, Connection connection, OutboxTable table) throws SQLException {
        String mode = store.setting(connection, "mode");
        if (mode.equals(CHANGING)) {
            String command = store.note(connection, "changing_command");
            throw new PostriderException("Outbox " + table + " is being changed; run '"
                    + (command == null ? "postrider alter" : command) + "' again to finish it.");
        }
        return parse(table, mode, store.setting(connection, "shards"), store.setting(connection, "delivery"));
    }

    public static OutboxLayout parse(OutboxTable table, String mode, String shards, String delivery) {
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
}
