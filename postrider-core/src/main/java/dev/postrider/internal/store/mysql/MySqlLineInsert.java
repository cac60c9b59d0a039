package dev.postrider.internal.store.mysql;

import dev.postrider.internal.store.AdminStore.SavedEvent;
import dev.postrider.internal.store.RefusedLineException;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.jdbc.SavedEvents;
import dev.postrider.internal.store.jdbc.Times;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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

    /** Of the statement. */
    private static final long MOST_BESIDE_VALUES = 4096;

    @Override
    public boolean insert(Connection connection, SavedEvent event) throws SQLException {
        JsonNode line = JsonMapper.shared().readTree(event.json());
        if (line.hasNonNull("attempts") && !line.path("attempts").isNumber()) {
            throw new SQLIntegrityConstraintViolationException("The line's attempts are not a number.", "22000");
        }
        requireFits(connection, line);
        try (PreparedStatement insert = connection.prepareStatement(sql.insertLine)) {
            int next = 1;
            for (String column : new String[] {
                "event_id", "event_type", "aggregate_type", "aggregate_id", "event_key", "source", "payload_text"
            }) {
                insert.setString(next++, SavedLine.text(line, column));
            }
            String hex = SavedLine.text(line, "payload_binary");
            insert.setBytes(next++, hex == null ? null : binary(hex));
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

    /** Before it is sent: a statement that is too long costs the connection. */
    private static void requireFits(Connection connection, JsonNode line) throws SQLException {
        long most;
        try (PreparedStatement ask = connection.prepareStatement(MySqlAdminSql.LONGEST_STATEMENT);
                ResultSet row = ask.executeQuery()) {
            row.next();
            most = row.getLong(1);
        }
        long needed = MOST_BESIDE_VALUES;
        for (String column : line.propertyNames()) {
            String text = SavedLine.text(line, column);
            byte[] value = text == null || !column.equals("payload_binary")
                    ? String.valueOf(text).getBytes(StandardCharsets.UTF_8)
                    : binary(text);
            needed += asSent(value);
        }
        if (needed > most) {
            throw new RefusedLineException("the server takes statements of " + most
                    + " bytes, and the event needs up to " + needed
                    + "; set max_allowed_packet higher and restore the file again");
        }
    }

    /** At most: some bytes have another one before them, to be told apart from the end of the text. */
    private static long asSent(byte[] bytes) {
        long length = bytes.length;
        for (byte one : bytes) {
            if (one == 0 || one == '\'' || one == '"' || one == '\\' || one == '\n' || one == '\r' || one == 0x1a) {
                length++;
            }
        }
        return length;
    }

    private static byte[] binary(String hex) {
        return HexFormat.of().parseHex(hex.substring("\\x".length()));
    }

    private static @Nullable Instant time(JsonNode line, String column) {
        String text = SavedLine.text(line, column);
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
    }
}
