package dev.postrider.internal.store.jdbc;

import dev.postrider.internal.store.AdminStore.SavedEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What is done to events of the dead letter file in every mode. */
public final class SavedEvents {
    private final CommonAdminSql sql;
    private final LineInsert lineInsert;

    public SavedEvents(CommonAdminSql sql, LineInsert lineInsert) {
        this.sql = sql;
        this.lineInsert = lineInsert;
    }

    /** Writes an event of the file into the outbox again, as every family of databases does it in its own way. */
    public interface LineInsert {
        /**
         * @return false if another event has its request id
         */
        boolean insert(Connection connection, SavedEvent event) throws SQLException;
    }

    public boolean wasHandled(Connection connection, SavedEvent event) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(sql.wasHandled())) {
            look.setString(1, event.eventId().toString());
            try (ResultSet row = look.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /**
     * @return false if another event has its request id
     */
    public boolean insert(Connection connection, SavedEvent event) throws SQLException {
        return lineInsert.insert(connection, event);
    }

    public boolean hasLetters(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(sql.hasLetters());
                ResultSet row = look.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    void forgetLetter(Connection connection, SavedEvent event) throws SQLException {
        if (!hasLetters(connection)) {
            return;
        }
        try (PreparedStatement forget = connection.prepareStatement(sql.forgetLetter())) {
            forget.setLong(1, event.id());
            forget.setString(2, event.eventId().toString());
            forget.executeUpdate();
        }
    }

    void noteHandled(Connection connection, SavedEvent event, String actor) throws SQLException {
        try (PreparedStatement note = connection.prepareStatement(sql.noteHandled())) {
            note.setString(1, actor);
            note.setString(2, event.eventId().toString());
            note.setString(3, event.eventId().toString());
            note.executeUpdate();
        }
    }
}
