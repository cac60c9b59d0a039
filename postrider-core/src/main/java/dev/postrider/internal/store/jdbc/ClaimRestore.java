package dev.postrider.internal.store.jdbc;

import dev.postrider.internal.store.AdminStore.Restored;
import dev.postrider.internal.store.AdminStore.SavedEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Claim mode: its row is PENDING again, or is written again if it is gone. */
public final class ClaimRestore implements EventRestore {
    private final String findEvent;
    private final String bringBack;
    private final SavedEvents saved;

    /**
     * @param findEvent by id, event id, aggregate type, aggregate id and key
     * @param bringBack by id
     */
    public ClaimRestore(String findEvent, String bringBack, SavedEvents saved) {
        this.findEvent = findEvent;
        this.bringBack = bringBack;
        this.saved = saved;
    }

    @Override
    public Restored bringBack(Connection connection, SavedEvent event) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(findEvent)) {
            find.setLong(1, event.id());
            find.setString(2, event.eventId().toString());
            find.setString(3, event.aggregateType());
            find.setString(4, event.aggregateId());
            find.setString(5, event.eventKey());
            try (ResultSet row = find.executeQuery()) {
                if (row.next()) {
                    return bringBack(connection, row.getLong("id")) ? Restored.BACK : Restored.HANDLED;
                }
            }
        }
        if (saved.wasHandled(connection, event)) {
            return Restored.HANDLED_BEFORE;
        }
        if (!event.whole()) {
            return Restored.GONE;
        }
        return saved.insert(connection, event) ? Restored.INSERTED : Restored.REPLACED;
    }

    private boolean bringBack(Connection connection, long id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(bringBack)) {
            update.setLong(1, id);
            return update.executeUpdate() == 1;
        }
    }
}
