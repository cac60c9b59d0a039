package dev.postrider.kafka;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends events to Kafka, at least once, in order per key, through one idempotent producer.
 *
 * <p>A producer cannot promise by itself that after a failed record the next one of the same key is
 * not accepted. So at the first failure that comes from the broker the producer is closed at once,
 * inside its callback, before it can send anything else; what it had not yet heard of ends as
 * unresolved, and a new producer is made when the relay resumes. What the broker still receives of the
 * old producer it refuses, because the failed record is missing from the sequence; but only in
 * partitions in which it knows the producer. So a key's events follow each other closely only where
 * this producer has been accepted before.
 */
public final class KafkaPublisher implements Publisher {
    private final Map<String, Object> producerSettings;
    private final TopicRouting routing;
    private final Envelope envelope;

    /** The producer in use. Null before the first event; a stopped one stays until {@link #resume}. */
    private volatile @Nullable ProducerLine line;

    private volatile boolean closed;

    private KafkaPublisher(Builder builder) {
        this.producerSettings = Map.copyOf(builder.producerSettings);
        this.routing = builder.routing;
        this.envelope = new Envelope(builder.contentMode, builder.bodyIdField, builder.defaultSource);
    }

    /**
     * @param bootstrapServers for example {@code localhost:9092}
     */
    public static Builder builder(String bootstrapServers) {
        return new Builder(bootstrapServers);
    }

    @Override
    public String destination(OutboxEvent event) {
        return routing.topicOf(event.type());
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        if (closed) {
            return CompletableFuture.completedFuture(new PublishResult.Unresolved());
        }
        ProducerLine current = line;
        if (current == null) {
            try {
                current = new ProducerLine(producerSettings);
            } catch (KafkaException e) {
                // The settings were checked when this was built: it is the way to the brokers, such as name resolution.
                return CompletableFuture.completedFuture(
                        new PublishResult.Unavailable("No producer can be made: " + rootMessage(e)));
            }
            line = current;
        }
        return current.send(envelope.toRecord(event, destination));
    }

    private static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        ProducerLine current = line;
        return current != null && current.isKnownAt(destination, Envelope.key(event));
    }

    @Override
    public void stopTheLine() {
        ProducerLine current = line;
        if (current != null) {
            current.stop();
        }
    }

    @Override
    public void resume() {
        ProducerLine current = line;
        if (current != null && current.isStopped()) {
            line = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        stopTheLine();
    }

    /** Options of a Kafka publisher. */
    public static final class Builder {
        private final Map<String, Object> producerSettings = new HashMap<>();
        private TopicRouting routing = TopicRouting.byConvention();
        private ContentMode contentMode = ContentMode.BINARY;
        private @Nullable String bodyIdField;
        private String defaultSource = "postrider";

        private Builder(String bootstrapServers) {
            producerSettings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
            producerSettings.put(ProducerConfig.CLIENT_ID_CONFIG, "postrider");
            producerSettings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            producerSettings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
            producerSettings.put(ProducerConfig.ACKS_CONFIG, "all");
            producerSettings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
            producerSettings.put(ProducerConfig.RETRIES_CONFIG, "3");
            producerSettings.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "1000");
            producerSettings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "120000");
            producerSettings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "30000");
            producerSettings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "5");
            producerSettings.put(ProducerConfig.LINGER_MS_CONFIG, "5");
            producerSettings.put(ProducerConfig.BATCH_SIZE_CONFIG, "65536");
            // A send waits for metadata or buffer space on the relay's thread: not for long.
            producerSettings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "10000");
        }

        /**
         * Any setting of Kafka's producer, over Postrider's defaults: acks=all, idempotence, 3 retries
         * 1 s apart, 120 s delivery timeout, 30 s request timeout, 5 requests in flight, 5 ms linger.
         */
        public Builder property(String name, String value) {
            boolean allowed = switch (name) {
                case ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG -> value.equals("true");
                case ProducerConfig.ACKS_CONFIG -> value.equals("all") || value.equals("-1");
                case ProducerConfig.PARTITIONER_CLASS_CONFIG, ProducerConfig.TRANSACTIONAL_ID_CONFIG -> false;
                case ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG -> value.equals("false");
                default -> true;
            };
            if (!allowed) {
                throw new PostriderException("The producer property " + name + "=" + value
                        + " would break what Postrider promises: leave it at its default.");
            }
            producerSettings.put(name, value);
            return this;
        }

        /** Default: {@link TopicRouting#byConvention()}. */
        public Builder routing(TopicRouting routing) {
            this.routing = routing;
            return this;
        }

        /** Default: binary. */
        public Builder contentMode(ContentMode contentMode) {
            this.contentMode = contentMode;
            return this;
        }

        /**
         * Puts the event's id also into bodies that are JSON objects, under this name, for example
         * {@code messageId}; a body that has the field already stays as it is. Default: bodies are not touched.
         */
        public Builder bodyIdField(@Nullable String name) {
            this.bodyIdField = name;
            return this;
        }

        /** The CloudEvents source of events that name none. Default: {@code postrider}. */
        public Builder defaultSource(String source) {
            this.defaultSource = source;
            return this;
        }

        /**
         * @throws PostriderException if Kafka's client does not accept the settings
         */
        public KafkaPublisher build() {
            try {
                new ProducerConfig(producerSettings);
            } catch (KafkaException e) {
                throw new PostriderException("Kafka's producer does not accept its settings: " + e.getMessage(), e);
            }
            return new KafkaPublisher(this);
        }
    }
}
