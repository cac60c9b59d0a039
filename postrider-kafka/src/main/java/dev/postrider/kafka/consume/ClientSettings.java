package dev.postrider.kafka.consume;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The settings of the two clients that a consumer has: one that reads, and one that writes dead letters. Any thread. */
final class ClientSettings {
    private ClientSettings() {}

    /**
     * Of the client that reads.
     *
     * @param chosen by the user, over everything else
     * @throws PostriderException if Kafka's client does not accept them
     */
    static Map<String, Object> reader(ConsumerSettings settings, String group, Map<String, Object> chosen) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConsumerConfig.CLIENT_ID_CONFIG, settings.name());
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, settings.batchSize());
        all.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, millis(settings.maxPollInterval()));
        // Kafka would do the same for a group that is new and for one whose place is gone; these are not the same.
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        // With exactly once, the others are events that never happened.
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        // It would make them with the brokers' defaults, before whoever knows how they should be.
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        if (!"consumer".equalsIgnoreCase(String.valueOf(chosen.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG)))) {
            // In the newer protocol the brokers decide about these, and a client that names them is refused.
            all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, millis(settings.sessionTimeout()));
            all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, millis(settings.heartbeatInterval()));
            // A partition that stays where it is keeps what is in hand, with its retries.
            all.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        all.putAll(chosen);
        try {
            new ConsumerConfig(all);
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's consumer does not accept its settings: " + e.getMessage(), e);
        }
        return Map.copyOf(all);
    }

    /**
     * Of the client that writes dead letters: where the reader goes, by the same ways. It is waited for on the consumer's
     * thread, so it does not take long to give up. Compressed, because the record may have come out of a compressed batch
     * and must not be too large for a topic that would have taken that.
     */
    static Map<String, Object> deadLetters(ConsumerSettings settings, Map<String, Object> chosen) {
        Map<String, Object> all = new HashMap<>(chosen);
        all.keySet()
                .removeIf(name -> ConsumerConfig.configNames().contains(name)
                        && !ProducerConfig.configNames().contains(name));
        all.remove(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
        all.put(ProducerConfig.CLIENT_ID_CONFIG, settings.name() + "-dead-letters");
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
        all.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
        // Whether a record is too large is for the topic to say.
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 32 * 1024 * 1024);
        return Map.copyOf(all);
    }

    /** Whether a property is left to the user. The others would break a promise, or have an option of their own. */
    static boolean mayBeChosen(String name, String value) {
        return switch (name) {
            case ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG -> value.equals("false");
            case ConsumerConfig.GROUP_ID_CONFIG,
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    ConsumerConfig.CLIENT_ID_CONFIG,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                    ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                    ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG -> false;
            default -> true;
        };
    }

    private static int millis(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toMillis());
    }
}
