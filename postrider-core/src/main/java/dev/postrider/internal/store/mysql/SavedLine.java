package dev.postrider.internal.store.mysql;

import dev.postrider.internal.store.jdbc.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event as a line of the dead letter file, for databases that do not write it themselves; the same as PostgreSQL
 * writes. The payload is a string, so that not even its white space changes.
 */
final class SavedLine {
    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx");

    private SavedLine() {}

    static String write(ResultSet row, Times times) throws SQLException {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("id", row.getLong("id"));
        for (String column :
                new String[] {"event_id", "event_type", "aggregate_type", "aggregate_id", "event_key", "source"}) {
            line.put(column, row.getString(column));
        }
        line.put("payload_omitted", row.getBoolean("payload_omitted"));
        line.put("payload_text", row.getString("payload"));
        byte[] binary = row.getBytes("payload_binary");
        line.put(
                "payload_binary", binary == null ? null : "\\x" + HexFormat.of().formatHex(binary));
        line.put("content_type", row.getString("content_type"));
        String headers = row.getString("headers");
        line.put("headers", headers == null ? null : tree(headers));
        line.put("request_id", row.getString("request_id"));
        line.put("content_hash", row.getString("content_hash"));
        line.put("occurred_at", text(times.findIfATime(row, "occurred_at")));
        line.put("created_at", text(times.findIfATime(row, "created_at")));
        line.put("attempts", row.getInt("attempts"));
        line.put("max_retries", row.getObject("max_retries", Integer.class));
        line.put("first_failed_at", text(times.findIfATime(row, "first_failed_at")));
        line.put("last_error", row.getString("last_error"));
        return MAPPER.writeValueAsString(line);
    }

    /** What cannot be read as JSON here stays a text. */
    private static Object tree(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            return json;
        }
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : TIME.format(time.atOffset(ZoneOffset.UTC));
    }

    /** What a line says of a column; null if it says nothing. */
    static @Nullable String text(JsonNode line, String column) {
        JsonNode value = line.path(column);
        return value.isNull() || value.isMissingNode()
                ? null
                : value.isString() ? value.stringValue() : value.toString();
    }
}
