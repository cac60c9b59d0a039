package dev.postrider.bench.contender.debezium;

import dev.postrider.bench.contender.Place;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * How the engine is set. One set for everything: what a longer poll interval, larger batches or a second processing thread
 * do for a backlog was less than the noise of the machine it was tried on, and latency needs the short interval.
 */
final class EngineSettings {
    static final int LINGER_MILLIS = 0;

    /** What matters for speed, by Debezium's names. */
    private static final Map<String, String> TUNED = Map.of(
            "poll.interval.ms", "1",
            "max.batch.size", "2048",
            "max.queue.size", "8192",
            "record.processing.threads", "1",
            "offset.flush.interval.ms", "1000",
            "statistics.metrics.enabled", "false");

    private EngineSettings() {}

    static Properties properties(Place place, Slot slot, Path offsets) {
        JdbcAddress address = JdbcAddress.of(place.jdbcUrl());
        Properties properties = new Properties();
        properties.putAll(TUNED);
        properties.putAll(Map.of(
                "name", "bench",
                "connector.class", "io.debezium.connector.postgresql.PostgresConnector",
                "topic.prefix", "bench",
                "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
                "offset.storage.file.filename", offsets.toString()));
        properties.putAll(Map.of(
                "database.hostname", address.host(),
                "database.port", address.port(),
                "database.dbname", address.database(),
                "database.user", place.user(),
                "database.password", place.password()));
        properties.putAll(Map.of(
                "plugin.name", "pgoutput",
                "slot.name", slot.name(),
                "publication.name", Slot.PUBLICATION,
                "publication.autocreate.mode", "disabled",
                "table.include.list", Slot.TABLE,
                "snapshot.mode", "no_data",
                "tombstones.on.delete", "false"));
        properties.putAll(Map.of(
                "transforms", "outbox",
                "transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter",
                "transforms.outbox.route.topic.replacement", place.topic()));
        return properties;
    }

    static List<String> describe() {
        return TUNED.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .sorted()
                .toList();
    }
}
