package dev.postrider.connect;

import dev.postrider.PostriderException;
import dev.postrider.internal.kafka.Envelope;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.kafka.ContentMode;
import dev.postrider.publish.TopicRouting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * What can be set about the transform. Names and defaults are those of a relay's options, without {@code kafka.}
 *
 * @param undeliverableTopic null means that an event which cannot be sent makes the task fail
 */
record TransformSettings(
        TopicRouting routing,
        Envelope envelope,
        ContentHash hash,
        @Nullable String undeliverableTopic) {
    static final String UNDELIVERABLE_TOPIC = "undeliverable.topic";
    private static final String ROUTES = "routes";
    private static final String TOPIC_PREFIX = "topic.prefix";
    private static final String SOURCE = "source";
    private static final String CONTENT_MODE = "content.mode";
    private static final String BODY_ID_FIELD = "body.id.field";
    private static final String INTEGRITY = "integrity";
    private static final String INTEGRITY_KEY_FILE = "integrity.key.file";

    static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    ROUTES,
                    ConfigDef.Type.LIST,
                    "",
                    Importance.HIGH,
                    "Topics of event types that do not follow the convention: type=topic, separated by commas.")
            .define(TOPIC_PREFIX, ConfigDef.Type.STRING, "", Importance.MEDIUM, "Prefix of every topic's name.")
            .define(
                    UNDELIVERABLE_TOPIC,
                    ConfigDef.Type.STRING,
                    null,
                    Importance.HIGH,
                    "Topic of events that cannot be sent. Without it such an event makes the task fail.")
            .define(
                    SOURCE,
                    ConfigDef.Type.STRING,
                    "postrider",
                    Importance.MEDIUM,
                    "CloudEvents source of events that name none.")
            .define(
                    CONTENT_MODE,
                    ConfigDef.Type.STRING,
                    "binary",
                    ConfigDef.ValidString.in("binary", "structured"),
                    Importance.MEDIUM,
                    "CloudEvents attributes as headers (binary), or as one document with the payload (structured).")
            .define(
                    BODY_ID_FIELD,
                    ConfigDef.Type.STRING,
                    null,
                    Importance.LOW,
                    "Field of JSON payloads that gets the event's id too.")
            .define(
                    INTEGRITY,
                    ConfigDef.Type.STRING,
                    "optional",
                    ConfigDef.ValidString.in("optional", "required"),
                    Importance.LOW,
                    "Whether an event without a content hash is sent (optional) or undeliverable (required).")
            .define(
                    INTEGRITY_KEY_FILE,
                    ConfigDef.Type.STRING,
                    null,
                    Importance.LOW,
                    "File on the worker with the key that writers sign events with.");

    /**
     * @throws ConfigException if a value cannot be used
     */
    static TransformSettings of(Map<String, ?> configuration) {
        AbstractConfig config = new AbstractConfig(DEFINITION, configuration, false);
        String mode = config.getString(CONTENT_MODE);
        return new TransformSettings(
                routing(config),
                new Envelope(
                        ContentMode.valueOf(mode.toUpperCase(Locale.ROOT)) == ContentMode.BINARY,
                        config.getString(BODY_ID_FIELD),
                        config.getString(SOURCE)),
                hash(config),
                undeliverableTopic(config));
    }

    private static TopicRouting routing(AbstractConfig config) {
        TopicRouting routing = TopicRouting.byConvention().prefix(config.getString(TOPIC_PREFIX));
        List<String> routes = config.getList(ROUTES);
        for (String route : routes) {
            int equals = route.indexOf('=');
            if (equals < 1) {
                throw new ConfigException(
                        ROUTES, routes, "each of them must be type=topic, and [" + route + "] is not");
            }
            try {
                routing = routing.route(
                        route.substring(0, equals).strip(),
                        route.substring(equals + 1).strip());
            } catch (PostriderException e) {
                throw new ConfigException(ROUTES, routes, e.getMessage());
            }
        }
        return routing;
    }

    private static ContentHash hash(AbstractConfig config) {
        String file = config.getString(INTEGRITY_KEY_FILE);
        try {
            ContentHash hash =
                    file == null ? ContentHash.sha256() : ContentHash.hmac(Files.readAllBytes(Path.of(file)));
            return config.getString(INTEGRITY).equals("required") ? hash.required() : hash;
        } catch (IOException e) {
            throw new ConfigException(INTEGRITY_KEY_FILE, file, "the key cannot be read on this worker: " + e);
        } catch (PostriderException e) {
            throw new ConfigException(INTEGRITY_KEY_FILE, file, e.getMessage());
        }
    }

    private static @Nullable String undeliverableTopic(AbstractConfig config) {
        String topic = config.getString(UNDELIVERABLE_TOPIC);
        if (topic != null && !topic.matches("[A-Za-z0-9._-]{1,249}")) {
            throw new ConfigException(
                    UNDELIVERABLE_TOPIC, topic, "a topic has 1 to 249 letters, digits, dots, underscores or hyphens");
        }
        return topic;
    }
}
