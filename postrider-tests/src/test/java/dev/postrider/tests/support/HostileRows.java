package dev.postrider.tests.support;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Rows of an outbox with any value that one of its columns accepts, whatever a writer may have meant by it. */
public final class HostileRows {
    private final TestServer server;
    private final Random random;
    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private int number;

    public HostileRows(TestServer server, long seed) {
        this.server = server;
        this.random = new Random(seed);
        boolean postgres = server == TestServer.POSTGRES;
        List<String> times = postgres
                ? List.of(
                        "'infinity'",
                        "'-infinity'",
                        "'294276-12-31 23:59:59+00'",
                        "'4713-01-01 00:00:00+00 BC'",
                        "'10000-01-01 00:00:00+00'",
                        "'0001-01-01 00:00:00+00'")
                : List.of(
                        "'0000-00-00 00:00:00'",
                        "'2026-00-00 00:00:00'",
                        "'2026-02-31 12:00:00'",
                        "'9999-12-31 23:59:59.999999'",
                        "'1000-01-01 00:00:00'");
        List<String> counters = List.of("-2147483648", "-1", "2147483647");
        add("event_id", "'00000000-0000-0000-0000-000000000000'");
        add("event_type", "''", "' '", character(1), character(10), text("x", 250), "'ü€𝄞'", "'a b'");
        add("aggregate_type", "''", character(13), text("t", 250), "'/'");
        add("aggregate_id", "''", noise(), text("i", 250), "'/'");
        add("event_key", "''", text("k", 50_000), character(1));
        add("source", "'no uri'", "''", "'%zz'", "'::'", character(10), "'http://a/ü'", "'[x]'", text("s", 50_000));
        add("payload", "'null'", "'1e99999'", nested(3000), "'\"\"'", text(" ", 5000, "1"));
        add("content_type", "''", "'x'", character(10), "'text/ü'", text("c", 250));
        add(
                "headers",
                "'{}'",
                "'{\"\":\"x\"}'",
                "'{\"a\":null}'",
                "'{\"a\":{\"b\":[1]}}'",
                "'{\"ce_id\":\"other\",\"content-type\":\"x\"}'",
                "'{\"a\":\"1\",\"a\":\"2\"}'",
                "'{\"ü b\":\"ö\"}'",
                "'{\"Host\":\"x\",\"Connection\":\"y\"}'");
        add("content_hash", "''", "'x'", "'hmac:zz'", "'sha256:00'");
        for (String column : List.of(
                "occurred_at",
                "created_at",
                "updated_at",
                "published_at",
                "first_failed_at",
                "next_attempt_at",
                "locked_at")) {
            values.put(column, times);
        }
        for (String column : List.of("attempts", "max_retries", "claims", "abandoned", "version")) {
            values.put(column, counters);
        }
        add("locked_by", "'nobody'", "''");
        add("holds_key", "true");
        add("last_error", "''", text("e", 50_000));
        if (!postgres) {
            add("event_id", "'no uuid'", "''");
        } else {
            add("event_id", "'ffffffff-ffff-ffff-ffff-ffffffffffff'");
            add("headers", "'{\"a\":\"\\u0000\"}'", "'{\"a\":\"x\\r\\ny: z\"}'");
            add("payload", "'\"\\u0000\"'");
            add("aggregate_id", text("i", 100_000));
            add("request_id", text("r", 100_000));
        }
    }

    private void add(String column, String... more) {
        values.computeIfAbsent(column, name -> new ArrayList<>()).addAll(List.of(more));
    }

    private String text(String of, int times) {
        return text(of, times, "");
    }

    private static String text(String of, int times, String end) {
        return "concat(repeat('" + of + "', " + times + "), '" + end + "')";
    }

    /** Which no compression makes shorter. */
    private String noise() {
        StringBuilder noise = new StringBuilder();
        int length = server == TestServer.POSTGRES ? 20_000 : 250;
        for (int i = 0; i < length; i++) {
            noise.append((char) ('a' + random.nextInt(26)));
        }
        return "'" + noise + "'";
    }

    private String character(int code) {
        return server == TestServer.POSTGRES
                ? "'a' || chr(" + code + ") || 'b'"
                : "concat('a', char(" + code + "), 'b')";
    }

    private static String nested(int depth) {
        return "concat(repeat('[', " + depth + "), repeat(']', " + depth + "))";
    }

    public Map<String, List<String>> values() {
        return values;
    }

    /** Of a key of its own, with one to three hostile columns. */
    public String next() {
        Map<String, String> row = plain();
        List<String> columns = new ArrayList<>(values.keySet());
        for (int i = random.nextInt(3); i >= 0; i--) {
            String column = columns.get(random.nextInt(columns.size()));
            List<String> choice = values.get(column);
            row.put(column, choice.get(random.nextInt(choice.size())));
        }
        return insertion(row);
    }

    /** With one hostile column. */
    public String with(String column, String value) {
        Map<String, String> row = plain();
        row.put(column, value);
        return insertion(row);
    }

    private Map<String, String> plain() {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("event_type", "'acme.hostile.v1'");
        row.put("aggregate_type", "'hostile'");
        row.put("aggregate_id", "'hostile-" + ++number + "'");
        row.put("payload", "'\"hostile\"'");
        return row;
    }

    private String insertion(Map<String, String> row) {
        if (server == TestServer.POSTGRES) {
            row.computeIfPresent("payload", (column, value) -> "(" + value + ")::json");
            row.computeIfPresent("headers", (column, value) -> "(" + value + ")::json");
        }
        return "insert into outbox (" + String.join(", ", row.keySet()) + ") values (" + String.join(", ", row.values())
                + ")";
    }
}
