package dev.postrider.devservices;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The settings of a {@link DevMariaDb}: those we need, those we choose, those the user chose. */
final class MariaDbSettings {

    /** What would separate the server from the object that stands for it. */
    private static final Map<String, String> REFUSED = Map.of(
            "port", "use port(int)",
            "datadir", "use dataDirectory(Path)",
            "bind_address", "the server listens on the loopback interface only",
            "socket", "the server listens on the loopback interface only",
            "pid_file", "it is how an orphan is found",
            "log_error", "the log goes to a file in the data directory");

    private final Map<String, String> chosen = new LinkedHashMap<>();

    MariaDbSettings() {}

    MariaDbSettings(MariaDbSettings other) {
        chosen.putAll(other.chosen);
    }

    void put(String name, String value) {
        String key = name.toLowerCase(Locale.ROOT).replace('-', '_');
        if (!key.matches("[a-z_][a-z0-9_]*")) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a MariaDB setting");
        }
        String reason = REFUSED.get(key);
        if (reason != null) {
            throw new IllegalArgumentException("the MariaDB setting " + key + " cannot be chosen: " + reason);
        }
        if (value.contains("\n")) {
            throw new IllegalArgumentException("the value of the MariaDB setting " + key + " has a line break");
        }
        chosen.put(key, value);
    }

    Map<String, String> on(int port) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("bind_address", "127.0.0.1");
        all.put("socket", "");
        all.put("port", Integer.toString(port));
        // Said in full, although they are the server's own defaults: what is committed survives a crash.
        all.put("innodb_flush_log_at_trx_commit", "1");
        all.put("innodb_doublewrite", "ON");
        all.put("innodb_flush_method", "O_DIRECT");
        all.put("sync_binlog", "1");
        all.put("max_connections", "200");
        all.put("character_set_server", "utf8mb4");
        all.put("default_time_zone", "+00:00");
        all.put("skip_name_resolve", "ON");
        // Or it makes up a certificate at every start, which takes seconds.
        all.put("ssl", "0");
        all.putAll(chosen);
        return all;
    }
}
