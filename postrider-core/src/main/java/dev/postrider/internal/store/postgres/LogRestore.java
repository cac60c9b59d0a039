package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.AdminStore.Restored;
import dev.postrider.internal.store.AdminStore.SavedEvent;
import dev.postrider.internal.store.jdbc.EventRestore;
import dev.postrider.internal.store.jdbc.SavedEvents;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/**
 * Log mode: the request is left beside the log that the event be sent again, under its old id. An event whose id has been
 * given to another since is written to the log again.
 */
final class LogRestore implements EventRestore {
    private static final String DEAD = "DEAD";
    private static final String NOT_NULL_VIOLATION = "23502";

    private final PostgresLogAdminSql sql;
    private final SavedEvents saved;

    LogRestore(PostgresLogAdminSql sql, SavedEvents saved) {
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
                row.next();
                return bringBack(connection, event, row);
            }
        }
    }

    private Restored bringBack(Connection connection, SavedEvent event, ResultSet row) throws SQLException {
        String parked = row.getString("parked");
        if (DEAD.equals(parked)) {
            return event.whole() ? request(connection, event) : requestFromRow(connection, event);
        }
        if (parked != null || row.getBoolean("elsewhere") || row.getBoolean("ahead")) {
            return Restored.HANDLED;
        }
        // A letter says that it died after it was last handled; without one nothing tells a dead event from a sent one.
        if (!hasLetter(connection, event) && saved.wasHandled(connection, event)) {
            return Restored.HANDLED_BEFORE;
        }
        if (row.getBoolean("replaced")) {
            return Restored.REPLACED;
        }
        if (!event.whole()) {
            return requestFromRow(connection, event);
        }
        if (row.getBoolean("taken")) {
            return saved.insert(connection, event) ? Restored.INSERTED : Restored.REPLACED;
        }
        return request(connection, event);
    }

    private boolean hasLetter(Connection connection, SavedEvent event) throws SQLException {
        if (!saved.hasLetters(connection)) {
            return false;
        }
        try (PreparedStatement look = connection.prepareStatement(sql.hasLetter)) {
            look.setLong(1, event.id());
            look.setObject(2, event.eventId());
            try (ResultSet row = look.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /** The line has nothing to send but what its row or the event beside the log has. */
    private Restored requestFromRow(Connection connection, SavedEvent event) throws SQLException {
        try (PreparedStatement request = connection.prepareStatement(sql.requestFromRow)) {
            request.setLong(1, event.id());
            request.setObject(2, event.eventId());
            return request.executeUpdate() == 1 ? Restored.BACK : Restored.GONE;
        }
    }

    private Restored request(Connection connection, SavedEvent event) throws SQLException {
        try (PreparedStatement request = connection.prepareStatement(sql.requestFromLine)) {
            request.setString(1, event.json());
            if (request.executeUpdate() == 0) {
                throw new SQLIntegrityConstraintViolationException(
                        "The line has not all that an event needs.", NOT_NULL_VIOLATION);
            }
            return Restored.BACK;
        }
    }
}
