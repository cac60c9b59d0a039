package dev.postrider.kafka;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The settings of Kafka's clients: Postrider's defaults, and over them what the user chose. Any thread. */
final class ProducerSettings {
    /** No longer may a relay's thread wait for anything. */
    static final long LONGEST_BLOCK_MILLIS = 5_000;

    private static final Map<String, Object> DEFAULTS = Map.ofEntries(
            Map.entry(ProducerConfig.CLIENT_ID_CONFIG, "postrider"),
            Map.entry(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class),
            Map.entry(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class),
            Map.entry(ProducerConfig.ACKS_CONFIG, "all"),
            Map.entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true"),
            Map.entry(ProducerConfig.RETRIES_CONFIG, "3"),
            Map.entry(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "1000"),
            Map.entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "120000"),
            Map.entry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "30000"),
            Map.entry(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "5"),
            Map.entry(ProducerConfig.LINGER_MS_CONFIG, "5"),
            Map.entry(ProducerConfig.BATCH_SIZE_CONFIG, "65536"),
            // A send waits for metadata or buffer space on the relay's thread: not for long.
            Map.entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, String.valueOf(LONGEST_BLOCK_MILLIS)));

    /**
     * One record given up undoes the whole transaction, so it is given up by time only, as Kafka's own defaults have
     * it. And what is repeated is often just "the transaction before is still being completed", which takes
     * milliseconds: a second's wait would be paid by many transactions and by most take-overs.
     */
    private static final Map<String, Object> TRANSACTIONAL_DEFAULTS = Map.of(
            ProducerConfig.RETRIES_CONFIG,
            String.valueOf(Integer.MAX_VALUE),
            ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
            "100");

    private final Map<String, Object> chosen;
    private @Nullable ProducerConfig parsed;

    ProducerSettings(Map<String, Object> chosen) {
        this.chosen = Map.copyOf(chosen);
    }

    /** Of the producer that delivers at least once. */
    Map<String, Object> plain() {
        Map<String, Object> settings = new HashMap<>(DEFAULTS);
        settings.putAll(chosen);
        return Map.copyOf(settings);
    }

    /**
     * Of the producer of a shard that delivers exactly once. Nothing is waited for longer than the transaction may
     * last, since after that the broker undoes it anyway; and a request takes at most half of what is left after
     * lingering, so that one that gets lost is repeated while there is still time.
     *
     * @throws PostriderException if the user's settings do not fit into that time
     */
    Map<String, Object> transactional(String transactionalId, int shard, Duration timeout) {
        Map<String, Object> settings = new HashMap<>(DEFAULTS);
        settings.putAll(TRANSACTIONAL_DEFAULTS);
        settings.putAll(chosen);

        ProducerConfig parsed = parse(settings);
        int limit = Math.toIntExact(timeout.toMillis());
        int delivery = Math.min(parsed.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG), limit);
        long linger = parsed.getLong(ProducerConfig.LINGER_MS_CONFIG);
        long request = Math.min(parsed.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG), (delivery - linger) / 2);
        if (request < 1) {
            throw new PostriderException("The producer property " + ProducerConfig.LINGER_MS_CONFIG + "=" + linger
                    + " leaves no time to deliver anything within " + delivery + " ms, the lesser of "
                    + ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG + " and the transaction's timeout of " + limit
                    + " ms: make it smaller.");
        }
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, limit);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, delivery);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(request));
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int)
                Math.min(parsed.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG), limit));
        // Lines of several shards live in one process; clients are told apart by this name, also among metrics.
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, parsed.getString(ProducerConfig.CLIENT_ID_CONFIG) + "-" + shard);
        return Map.copyOf(settings);
    }

    /** Of an administrator that goes where this producer goes, and waits as long. */
    static Map<String, Object> admin(Map<String, Object> transactional) {
        return shared(transactional, AdminClientConfig.configNames());
    }

    /** Of a consumer that reads what was committed, from where this producer writes, and waits as long. */
    static Map<String, Object> reader(Map<String, Object> transactional) {
        Map<String, Object> settings = shared(transactional, ConsumerConfig.configNames());
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        // It fetches ahead, and at the end of the partition closing it would wait for that fetch: half a second.
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50);
        return settings;
    }

    /** Of a producer that goes where this one goes, to write a record that belongs to no transaction. */
    static Map<String, Object> besidesTransactions(Map<String, Object> transactional) {
        Map<String, Object> settings = new HashMap<>(transactional);
        settings.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        settings.remove(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
        settings.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        settings.computeIfPresent(ProducerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-attesting");
        return settings;
    }

    /** What Kafka makes of {@link #plain}. */
    synchronized ProducerConfig parsed() {
        ProducerConfig known = parsed;
        if (known == null) {
            known = parse(plain());
            parsed = known;
        }
        return known;
    }

    /** How long is waited for what has to be waited for, in milliseconds. */
    int patience() {
        return (int) Math.min(LONGEST_BLOCK_MILLIS, parsed().getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG));
    }

    /** Of an administrator that looks at topics. */
    Map<String, Object> topicAdmin() {
        return besides(AdminClientConfig.configNames());
    }

    /** Of a consumer that asks for topics, so that brokers make them that do so for whoever writes. */
    Map<String, Object> topicProbe() {
        Map<String, Object> settings = besides(ConsumerConfig.configNames());
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, true);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return settings;
    }

    private Map<String, Object> besides(Set<String> known) {
        Map<String, Object> settings = new HashMap<>(plain());
        settings.keySet().removeIf(name -> ProducerConfig.configNames().contains(name) && !known.contains(name));
        settings.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        int patience = patience();
        int request = parsed().getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, patience);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(request, patience));
        settings.computeIfPresent(ProducerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-topics");
        return settings;
    }

    /** How long these settings wait for what has to be waited for, in milliseconds. */
    static int patience(Map<String, Object> transactional) {
        return (int) Objects.requireNonNull(transactional.get(ProducerConfig.MAX_BLOCK_MS_CONFIG));
    }

    /** How long a producer with these settings tries to deliver a record. */
    static Duration deliveryTimeout(ProducerConfig settings) {
        return Duration.ofMillis(settings.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
    }

    /** Without what only producers know; but with names that no client knows, which are for plugins of the user. */
    private static Map<String, Object> shared(Map<String, Object> transactional, Set<String> known) {
        Map<String, Object> settings = new HashMap<>(transactional);
        settings.keySet().removeIf(name -> ProducerConfig.configNames().contains(name) && !known.contains(name));
        settings.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        int patience = patience(transactional);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, patience);
        settings.computeIfPresent(
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (name, timeout) -> Math.min((int) timeout, patience));
        return settings;
    }

    /**
     * @throws PostriderException if Kafka's client does not accept the settings
     */
    static ProducerConfig parse(Map<String, Object> settings) {
        try {
            return new ProducerConfig(settings);
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's producer does not accept its settings: " + e.getMessage(), e);
        }
    }
}
