package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The settings of the clients that a redrive has, from the properties that say how to connect. Properties that a promise
 * depends on are set here, whatever was chosen.
 */
record ClientSettings(Map<String, Object> chosen) {
    /** For a question that an operator waits for. */
    private static final int PATIENCE_MILLIS = 10_000;

    /** As long as a run that was killed counts as running. Brokers accept 6 s or more, unless they are told otherwise. */
    static final Duration SESSION = Duration.ofSeconds(10);

    ClientSettings {
        chosen = Map.copyOf(chosen);
    }

    Map<String, Object> admin() {
        Map<String, Object> all = known(AdminClientConfig.configNames());
        all.put(AdminClientConfig.CLIENT_ID_CONFIG, "postrider-redrive");
        all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        return all;
    }

    /** Of a reader that belongs to no group. */
    Map<String, Object> reader() {
        Map<String, Object> all = known(ConsumerConfig.configNames());
        all.put(ConsumerConfig.CLIENT_ID_CONFIG, "postrider-redrive");
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        // Retention may delete what was about to be read; what is left counts.
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return all;
    }

    /** Of the one member of the group, which also keeps its progress. */
    Map<String, Object> member(String group) {
        Map<String, Object> all = reader();
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, (int) SESSION.toMillis());
        all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, (int) SESSION.toMillis() / 3);
        // Between two polls it may wait for the producer.
        all.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int)
                Math.min(Integer.MAX_VALUE, 2 * deliveryTimeout().toMillis() + 120_000));
        return all;
    }

    Map<String, Object> producer() {
        Map<String, Object> all = known(ProducerConfig.configNames());
        all.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        all.remove(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
        // Where a key belongs, the default one knows as everybody does.
        all.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        all.remove(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
        all.put(ProducerConfig.CLIENT_ID_CONFIG, "postrider-redrive");
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 5);
        all.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, 65_536);
        all.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, 30_000);
        all.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
        // Whether a record is too large is for the topic to say.
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 32 * 1024 * 1024);
        return all;
    }

    Duration deliveryTimeout() {
        try {
            return Duration.ofMillis(new ProducerConfig(producer()).getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's producer does not accept its settings: " + e.getMessage(), e);
        }
    }

    /** Without what other clients know and this one does not; names that none knows are for plugins of the user. */
    private Map<String, Object> known(Set<String> names) {
        Map<String, Object> all = new HashMap<>(chosen);
        all.keySet()
                .removeIf(name -> !names.contains(name)
                        && (ProducerConfig.configNames().contains(name)
                                || ConsumerConfig.configNames().contains(name)
                                || AdminClientConfig.configNames().contains(name)));
        all.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        return all;
    }
}
