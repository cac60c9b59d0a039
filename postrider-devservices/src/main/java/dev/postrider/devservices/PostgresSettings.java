package dev.postrider.devservices;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The settings of a {@link DevPostgres}: those we need, those we choose, those the user chose. */
final class PostgresSettings {

    /** What would separate the server from the object that stands for it. */
    private static final Map<String, String> REFUSED = Map.of(
            "port", "use port(int)",
            "data_directory", "use dataDirectory(Path)",
            "listen_addresses", "the server listens on the loopback interface only",
            "unix_socket_directories", "the server listens on the loopback interface only",
            "logging_collector", "the log goes to a file in the data directory");

    private final Map<String, String> chosen = new LinkedHashMap<>();

    PostgresSettings() {}

    PostgresSettings(PostgresSettings other) {
        chosen.putAll(other.chosen);
    }

    void put(String name, String value) {
        String key = name.toLowerCase(Locale.ROOT);
        if (!key.matches("[a-z_][a-z0-9_.]*")) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a PostgreSQL setting");
        }
        String reason = REFUSED.get(key);
        if (reason != null) {
            throw new IllegalArgumentException("the PostgreSQL setting " + key + " cannot be chosen: " + reason);
        }
        if (value.contains("\n")) {
            throw new IllegalArgumentException("the value of the PostgreSQL setting " + key + " has a line break");
        }
        chosen.put(key, value);
    }

    Map<String, String> on(int port) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("unix_socket_directories", "");
        all.put("port", Integer.toString(port));
        // Said in full, although they are the server's own defaults: what is committed survives a crash.
        all.put("fsync", "on");
        all.put("synchronous_commit", "on");
        all.put("full_page_writes", "on");
        all.put("wal_level", "logical");
        // A standby that falls behind or is restarted still finds what it missed.
        all.put("wal_keep_size", "128MB");
        all.put("max_connections", "200");
        all.put("max_prepared_transactions", "20");
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        all.put("lc_messages", "C");
        all.put("lc_monetary", "C");
        all.put("lc_numeric", "C");
        all.put("lc_time", "C");
        all.put("default_text_search_config", "pg_catalog.english");
        all.putAll(chosen);
        return all;
    }
}
