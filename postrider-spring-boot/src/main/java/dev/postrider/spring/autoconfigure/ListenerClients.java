package dev.postrider.spring.autoconfigure;

import dev.postrider.PostriderException;
import dev.postrider.failure.Backoff;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.StartAt;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The clients of listeners: connected as {@code spring.kafka.*} says, and otherwise as Postrider's own consumer. {@code
 * postrider.listener.properties} comes over it.
 */
final class ListenerClients {
    private static final String PREFIX = "postrider.listener.";

    /** What has an option of its own, or would break a promise. */
    private static final Map<String, String> INSTEAD = Map.of(
            ConsumerConfig.GROUP_ID_CONFIG, "group",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "batch-size",
            ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, "max-poll-interval",
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "session-timeout",
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "heartbeat-interval",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "start-at");

    private static final Set<String> NEVER = Set.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

    private final PostriderProperties.Listener listener;
    private final ConsumerSettings settings;
    private final Map<String, Object> properties;

    ListenerClients(
            PostriderProperties.Listener listener,
            KafkaProperties application,
            KafkaConnectionDetails connection,
            Environment environment) {
        this.listener = listener;
        this.settings = settings(listener);
        this.properties = properties(
                KafkaConnecting.of(application.buildConsumerProperties(), connection.getConsumer()),
                String.join(",", connection.getConsumer().getBootstrapServers()),
                group(listener, application, environment));
    }

    ConsumerSettings settings() {
        return settings;
    }

    int concurrency() {
        if (listener.concurrency() < 1) {
            throw new PostriderStartException(
                    PREFIX + "concurrency is " + listener.concurrency() + ", and must be 1 or more.",
                    "Set it to the number of consumers that each listener is to be.");
        }
        return listener.concurrency();
    }

    Map<String, Object> properties() {
        return properties;
    }

    private static ConsumerSettings settings(PostriderProperties.Listener listener) {
        PostriderProperties.Retry retry = listener.retry();
        try {
            return ConsumerSettings.builder()
                    .name("listener")
                    .batchSize(listener.batchSize())
                    .startAt(StartAt.valueOf(listener.startAt().name()))
                    .retry(new Backoff(
                            retry.base(), retry.multiplier(), retry.cap(), retry.jitter(), retry.maxRetries()))
                    .deadLetterSuffix(listener.deadLetterSuffix())
                    .sessionTimeout(listener.sessionTimeout())
                    .heartbeatInterval(listener.heartbeatInterval())
                    .maxPollInterval(listener.maxPollInterval())
                    .build();
        } catch (PostriderException e) {
            throw new PostriderStartException(
                    "What is set below postrider.listener cannot be used: " + e.getMessage(),
                    "Correct that property of postrider.listener.",
                    e);
        }
    }

    /** Null if nobody says: then each listener has to. */
    private static @Nullable String group(
            PostriderProperties.Listener listener, KafkaProperties application, Environment environment) {
        if (StringUtils.hasText(listener.group())) {
            return listener.group();
        }
        String ofApplication = application.getConsumer().getGroupId();
        return StringUtils.hasText(ofApplication) ? ofApplication : environment.getProperty("spring.application.name");
    }

    private Map<String, Object> properties(Map<String, Object> connecting, String servers, @Nullable String group) {
        Map<String, Object> all = new HashMap<>(connecting);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        if (StringUtils.hasText(group)) {
            all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        }
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, settings.batchSize());
        all.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, millis(settings.maxPollInterval()));
        // For a group whose place is gone: between that and the end may be records that nobody has handled. Where a new
        // group starts is another matter.
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // With exactly once, the others are events that never happened.
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        // It would make them with the brokers' defaults, before whoever knows how they should be.
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        Map<String, String> chosen = listener.properties();
        if (!"consumer".equalsIgnoreCase(chosen.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            // In the newer protocol the brokers decide about these, and a client that names them is refused.
            all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, millis(settings.sessionTimeout()));
            all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, millis(settings.heartbeatInterval()));
            all.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        chosen.keySet().forEach(ListenerClients::check);
        all.putAll(chosen);
        return all;
    }

    private static void check(String name) {
        String instead = INSTEAD.get(name);
        if (instead != null || NEVER.contains(name)) {
            throw new PostriderStartException(
                    PREFIX + "properties." + name + " cannot be set.",
                    instead != null
                            ? "Set " + PREFIX + instead + " instead."
                            : "Remove it: without it Postrider could not promise what it does.");
        }
    }

    private static int millis(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toMillis());
    }
}
