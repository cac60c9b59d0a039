package dev.postrider.store.jdbc;

import dev.postrider.store.AdminStore.Restored;
import dev.postrider.store.AdminStore.SavedEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Claim mode: its row is PENDING again, or is written again if it is gone. */
final class ClaimWayBack implements WayBack {
    private final PostgresClaimAdminSql sql;
    private final SavedEvents saved;

    ClaimWayBack(PostgresClaimAdminSql sql, SavedEvents saved) {
        this.sql = sql;
        this.saved = saved;
    }

    @Override
    public Restored bringBack(Connection connection, SavedEvent event) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(sql.findEvent)) {
            find.setLong(1, event.id());
            find.setObject(2, event.eventId());
            find.setString(3, event.aggregateType());
            find.setString(4, event.aggregateId());
            find.setString(5, event.json());
            try (ResultSet row = find.executeQuery()) {
                if (row.next()) {
                    return bringBack(connection, row.getLong("id")) ? Restored.BACK : Restored.HANDLED;
                }
            }
        }
        if (saved.wasHandled(connection, event)) {
            return Restored.HANDLED_BEFORE;
        }
        return saved.insert(connection, event) ? Restored.INSERTED : Restored.REPLACED;
    }

    private boolean bringBack(Connection connection, long id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql.bringBack)) {
            update.setLong(1, id);
            return update.executeUpdate() == 1;
        }
    }
}
