package dev.postrider.tests.campaign;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Inserts rows by plain SQL, with whatever a column accepts: what it does not accept is not inserted. Their keys are nobody
 * else's, so that only what must not suffer from them is watched.
 */
final class HostileRows {
    static final String TOPIC = "hostile-events";

    private static final String ROUTABLE = "acme.hostile.happened.v1";
    private static final int LONG_TEXT = 3_000;
    private static final int HUGE_BYTES = 40_000_000;

    private final Access access;
    private final Ledger ledger;
    private final Random random;

    HostileRows(Access access, Ledger ledger, Random random) {
        this.access = access;
        this.ledger = ledger;
        this.random = random;
    }

    /** Each in a transaction of its own. */
    void insert(int rows) throws SQLException {
        try (Connection connection = access.connect()) {
            for (int i = 0; i < rows; i++) {
                insertOne(connection);
            }
        }
    }

    /** One that a small heap cannot hold. Made by the database, so that ours need not hold it either. */
    void insertHuge() throws SQLException {
        UUID id = UUID.randomUUID();
        ledger.hostile(id);
        String payload = "concat(repeat(' ', " + HUGE_BYTES + "), '1')";
        try (Connection connection = access.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("insert into outbox (event_id, event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('" + id + "', '" + ROUTABLE + "', 'hostile', 'huge-" + random.nextInt(100) + "', "
                    + (access.configuration().isMariaDb() ? payload : payload + "::json") + ")");
            ledger.hostileCommitted();
        }
    }

    private void insertOne(Connection connection) throws SQLException {
        UUID id = UUID.randomUUID();
        Map<String, @Nullable Object> row = ordinary(id);
        // One column alone finds what several together would hide from each other, and the other way round.
        int wrong = 1 + random.nextInt(3);
        List<String> columns = List.of(
                "event_type",
                "aggregate_type",
                "aggregate_id",
                "event_key",
                "source",
                "payload",
                "content_type",
                "headers",
                "request_id",
                "content_hash",
                "occurred_at",
                "created_at",
                "updated_at",
                "next_attempt_at",
                "attempts",
                "max_retries",
                "claims",
                "abandoned",
                "version",
                "last_error",
                "first_failed_at",
                "locked_by",
                "locked_at",
                "published_at");
        for (int i = 0; i < wrong; i++) {
            String column = columns.get(random.nextInt(columns.size()));
            row.put(column, value(column));
        }
        if (random.nextInt(4) == 0) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            row.put("payload", null);
            row.put("payload_binary", bytes);
        }
        ledger.hostile(id);
        String sql = sql(row);
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object value : row.values()) {
                insert.setObject(index++, value);
            }
            insert.executeUpdate();
            ledger.hostileCommitted();
        } catch (SQLException e) {
            if (connection.isClosed() || !connection.isValid(1)) {
                throw e;
            }
            // The column does not accept it.
        }
    }

    private Map<String, @Nullable Object> ordinary(UUID id) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("event_id", id.toString());
        row.put("event_type", ROUTABLE);
        row.put("aggregate_type", "hostile");
        row.put("aggregate_id", "hostile-" + random.nextInt(10));
        row.put("payload", "{}");
        return row;
    }

    private String sql(Map<String, @Nullable Object> row) {
        List<String> values = new ArrayList<>();
        for (String column : row.keySet()) {
            values.add(access.configuration().isMariaDb() ? "?" : "cast(? as " + type(column) + ")");
        }
        return "insert into outbox (" + String.join(", ", row.keySet()) + ") values (" + String.join(", ", values)
                + ")";
    }

    private static String type(String column) {
        if (column.endsWith("_at")) {
            return "timestamptz";
        }
        return switch (column) {
            case "event_id" -> "uuid";
            case "payload", "headers" -> "json";
            case "payload_binary" -> "bytea";
            case "attempts", "max_retries", "claims", "abandoned", "version" -> "integer";
            default -> "text";
        };
    }

    private @Nullable Object value(String column) {
        if (column.endsWith("_at")) {
            return time();
        }
        return switch (column) {
            case "attempts", "max_retries", "claims", "abandoned", "version" -> number();
            case "payload" -> json();
            case "headers" -> headers();
            case "event_type" -> type();
            default -> text();
        };
    }

    private String time() {
        List<String> times = access.configuration().isMariaDb()
                ? List.of(
                        "0000-00-00 00:00:00",
                        "0000-01-01 00:00:00",
                        "1000-01-01 00:00:00",
                        "9999-12-31 23:59:59.999999",
                        "2000-00-00 00:00:00",
                        "1970-01-01 00:00:00")
                : List.of(
                        "infinity",
                        "-infinity",
                        "4713-01-01 00:00:00 BC",
                        "294276-12-31 23:59:59.999999",
                        "0001-01-01 00:00:00 BC",
                        "12345-01-01 00:00:00",
                        "1970-01-01 00:00:00");
        return any(times);
    }

    private Integer number() {
        return any(List.of(Integer.MIN_VALUE, -1, 0, 1, 2, 3, 1_000_000, Integer.MAX_VALUE));
    }

    private String json() {
        return any(List.of(
                "null",
                "0",
                "1e400",
                "-" + "9".repeat(500),
                "\"\"",
                "[]",
                "\"\\u0001\\u001f\\ud83d\\ude00\"",
                "[".repeat(100) + "]".repeat(100),
                "{\"\": {\"\": null}}",
                " ".repeat(100_000) + "1",
                "{\"a\": 1, \"a\": 2}"));
    }

    private String headers() {
        return any(List.of(
                "{}",
                "{\"\": \"\"}",
                "{\"a\": 1}",
                "{\"a\": null}",
                "{\"a\": {\"b\": [1, 2]}}",
                "{\"ce_id\": \"mine\", \"ce_type\": \"\", \"content-type\": \"\"}",
                "{\"a b\\nc\": \"x\\r\\ny\"}",
                "{\"\\ud83d\\ude00\": \"\\u0001\"}",
                "{\"traceparent\": \"" + "x".repeat(20_000) + "\"}"));
    }

    private String type() {
        return any(List.of("", " ", "x", "..", "a..b", "a.b\nc.d", "acme." + randomText(300) + ".v1", "ACME.hostile"));
    }

    private String text() {
        return switch (random.nextInt(6)) {
            case 0 -> "";
            case 1 -> " ";
            case 2 -> "\u0001\u0002\n\r\t\u007f\u0085\u2028";
            case 3 -> "\ud83d\ude00 % \\ ' \" ; -- \ufffe";
            case 4 -> randomText(LONG_TEXT);
            default -> randomText(200);
        };
    }

    private String randomText(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) ('!' + random.nextInt(90)));
        }
        return text.toString();
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
