package dev.postrider.cli.debezium;

import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * What a connector is set to, whichever way it makes records of changes.
 *
 * @param database whose password is printed; null leads the worker to its environment
 */
record ConnectorSettings(
        ConnectorNames names,
        OutboxInPlace outbox,
        Settings settings,
        @Nullable Database database) {
    /** All that records are made of. */
    private static final List<String> COLUMNS = List.of(
            "id",
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "event_key",
            "source",
            "payload",
            "payload_binary",
            "content_type",
            "headers",
            "request_id",
            "content_hash",
            "occurred_at",
            "next_attempt_at");

    Map<String, String> config() {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        config.put("tasks.max", "1");
        config.put("topic.prefix", names.connector());
        config.putAll(server());
        config.put("plugin.name", "pgoutput");
        config.put("slot.name", names.slot());
        config.put("slot.drop.on.stop", "false");
        config.put("publication.name", names.publication());
        config.put("publication.autocreate.mode", "disabled");
        config.put("table.include.list", outbox.tableName());
        config.put(
                "column.include.list",
                COLUMNS.stream()
                        .map(column -> outbox.tableName() + "." + column)
                        .collect(Collectors.joining(",")));
        config.put("snapshot.mode", "no_data");
        config.put("skipped.operations", "u,d,t");
        config.put("tombstones.on.delete", "false");
        config.put("binary.handling.mode", "bytes");
        config.put("extended.headers.enabled", "false");
        // Debezium's own default is half a second.
        config.put("poll.interval.ms", "20");
        // Otherwise a quiet outbox in a busy database would keep its server from removing old WAL.
        config.put("heartbeat.interval.ms", "10000");
        config.put("lsn.flush.mode", "connector_and_driver");
        // "all" would skip what cannot be sent, and nobody would know.
        config.put("errors.tolerance", "none");
        return config;
    }

    private Map<String, String> server() {
        String url = settings.require(KnownSettings.DB_URL);
        Properties parsed = Driver.parseURL(url, null);
        if (parsed == null) {
            throw new UsageException("db.url is no URL of PostgreSQL's driver.");
        }
        Map<String, String> server = new LinkedHashMap<>();
        server.put("database.hostname", first(parsed, PGProperty.PG_HOST));
        server.put("database.port", first(parsed, PGProperty.PG_PORT));
        server.put("database.dbname", parsed.getProperty(PGProperty.PG_DBNAME.getName()));
        server.put("database.user", settings.find(KnownSettings.DB_USER).orElse("postrider"));
        server.put(
                "database.password",
                database == null
                        ? "${env:POSTRIDER_DB_PASSWORD}"
                        : database.password().orElse(""));
        String ssl = parsed.getProperty(PGProperty.SSL_MODE.getName());
        if (ssl != null) {
            server.put("database.sslmode", ssl);
        }
        return server;
    }

    /** Of several servers: Debezium knows one. */
    private static String first(Properties parsed, PGProperty property) {
        return parsed.getProperty(property.getName()).split(",")[0];
    }
}
