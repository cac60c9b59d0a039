package dev.postrider.store.jdbc;

import dev.postrider.store.AdminStore.SavedEvent;
import dev.postrider.store.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes an event of the dead letter file into an outbox on MariaDB or MySQL again. */
record MySqlLineInsert(MySqlAdminSql sql) implements SavedEvents.LineInsert {

    @Override
    public boolean insert(Connection connection, SavedEvent event) throws SQLException {
        JsonNode line = JsonMapper.shared().readTree(event.json());
        if (line.hasNonNull("attempts") && !line.path("attempts").isNumber()) {
            throw new SQLIntegrityConstraintViolationException("The line's attempts are not a number.", "22000");
        }
        try (PreparedStatement insert = connection.prepareStatement(sql.insertLine)) {
            int next = 1;
            for (String column : new String[] {
                "event_id", "event_type", "aggregate_type", "aggregate_id", "event_key", "source", "payload_text"
            }) {
                insert.setString(next++, SavedLine.text(line, column));
            }
            insert.setBytes(next++, binary(SavedLine.text(line, "payload_binary")));
            for (String column : new String[] {"content_type", "headers", "request_id", "content_hash"}) {
                insert.setString(next++, SavedLine.text(line, column));
            }
            Times.IN_UTC.bind(insert, next++, time(line, "occurred_at"));
            Times.IN_UTC.bind(insert, next++, time(line, "created_at"));
            JsonNode retries = line.path("max_retries");
            insert.setObject(next++, retries.isNumber() ? retries.intValue() : null, Types.INTEGER);
            Times.IN_UTC.bind(insert, next++, time(line, "first_failed_at"));
            insert.setString(next, SavedLine.text(line, "last_error"));
            return SqlErrors.unlessDuplicate(insert::executeUpdate) == 1;
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new SQLIntegrityConstraintViolationException(
                    "The line has not all that an event needs: " + e.getMessage(), "22000");
        }
    }

    private static byte @Nullable [] binary(@Nullable String hex) {
        return hex == null ? null : HexFormat.of().parseHex(hex.substring("\\x".length()));
    }

    private static @Nullable Instant time(JsonNode line, String column) {
        String text = SavedLine.text(line, column);
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
    }
}
