package dev.postrider.cli.debezium;

import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.kafka.ContentMode;
import dev.postrider.settings.IntegritySettings;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Records as a relay makes them, by the transform of {@code postrider-connect}. */
record OwnTransform(ConnectorSettings connector) {
    private static final String BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";
    private static final String PREFIX = "transforms.postrider.";

    Map<String, String> config() {
        Settings settings = connector.settings();
        Map<String, String> config = connector.config();
        config.put("key.converter", BYTES);
        config.put("value.converter", BYTES);
        config.put("header.converter", BYTES);
        config.put("transforms", "postrider");
        config.put(PREFIX + "type", "dev.postrider.connect.OutboxTransform");
        config.put(PREFIX + "undeliverable.topic", connector.names().undeliverable());
        config.put(PREFIX + "source", settings.get(KafkaSettings.SOURCE));
        String prefix = settings.get(KafkaSettings.TOPIC_PREFIX);
        if (!prefix.isEmpty()) {
            config.put(PREFIX + "topic.prefix", prefix);
        }
        Map<String, String> routes = settings.get(KafkaSettings.ROUTES);
        if (!routes.isEmpty()) {
            config.put(
                    PREFIX + "routes",
                    new TreeMap<>(routes)
                            .entrySet().stream()
                                    .map(route -> route.getKey() + "=" + route.getValue())
                                    .collect(Collectors.joining(",")));
        }
        ContentMode mode = settings.get(KafkaSettings.CONTENT_MODE);
        if (mode != ContentMode.BINARY) {
            config.put(PREFIX + "content.mode", mode.name().toLowerCase(Locale.ROOT));
        }
        settings.find(KafkaSettings.BODY_ID_FIELD).ifPresent(field -> config.put(PREFIX + "body.id.field", field));
        if (settings.get(IntegritySettings.CHECK) == IntegritySettings.Check.REQUIRED) {
            config.put(PREFIX + "integrity", "required");
        }
        settings.find(IntegritySettings.KEY_FILE)
                .ifPresent(file -> config.put(PREFIX + "integrity.key.file", file.toString()));
        return config;
    }
}
