package dev.postrider.kafka;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.kafka.Envelope;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Sends events to Kafka, at least once, in order per key, through one idempotent producer.
 *
 * <p>A producer cannot promise by itself that after a failed record the next one of the same key is not accepted. So at
 * the first failure that comes from the broker the producer is closed at once, inside its callback, before it can send
 * anything else; unanswered events end as unresolved, and a new producer is created when the relay resumes. The broker
 * refuses what it still receives from the old producer, because the failed record is missing from the sequence; but
 * only in partitions in which it knows the producer. So several events of a key are in flight together only in
 * partitions where this producer has already been accepted.
 *
 * <p>For exactly once, {@link #pipeline} creates a separate producer for each shard. These are independent of this
 * publisher: closing it does not close them.
 */
public final class KafkaPublisher implements Publisher, TransactionalDestination {
    /** The default prefix of the positions topic's name; see {@link Builder#positionsTopic}. */
    public static final String POSITIONS_PREFIX = "postrider-positions-";

    private final ProducerSettings settings;
    private final Duration deliveryTimeout;
    private final TopicRouting routing;
    private final Envelope envelope;
    private final String positionsPrefix;

    /** The producer in use. Null before the first event; a stopped one stays until {@link #resume}. */
    private volatile @Nullable ProducerPipeline line;

    private final KnownTopics topics;
    private final TopicUse topicUse;
    private volatile boolean halted;
    private volatile boolean closed;

    private KafkaPublisher(Builder builder) {
        this.settings = new ProducerSettings(builder.properties);
        ProducerConfig parsed = settings.parsed();
        this.deliveryTimeout = ProducerSettings.deliveryTimeout(parsed);
        long block = parsed.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG);
        if (block > ProducerSettings.LONGEST_BLOCK_MILLIS) {
            throw new PostriderException("The producer property " + ProducerConfig.MAX_BLOCK_MS_CONFIG + "=" + block
                    + " blocks the relay's thread for too long: it may be "
                    + ProducerSettings.LONGEST_BLOCK_MILLIS + " at most.");
        }
        this.topics = new KnownTopics(settings);
        this.routing = builder.routing;
        this.envelope =
                new Envelope(builder.contentMode == ContentMode.BINARY, builder.bodyIdField, builder.defaultSource);
        this.topicUse = new TopicUse(topics, envelope);
        this.positionsPrefix = builder.positionsPrefix;
    }

    /**
     * @param bootstrapServers for example {@code localhost:9092}
     * @throws PostriderException if they are not host:port
     */
    public static Builder builder(String bootstrapServers) {
        return new Builder(bootstrapServers);
    }

    @Override
    public String destination(OutboxEvent event) {
        return routing.topicOf(event.type());
    }

    @Override
    public CompletionStage<?> ready(String destination) {
        if (isStopped()) {
            return READY;
        }
        return topicUse.ready(destination);
    }

    @Override
    public int releasable(String blocked) {
        return closed ? 0 : topicUse.releasable(blocked);
    }

    @Override
    public Map<String, String> blocked() {
        return topicUse.blocked();
    }

    @Override
    public void onRelease(Runnable wake) {
        topicUse.onRelease(wake);
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        if (isStopped()) {
            return CompletableFuture.completedFuture(new PublishResult.Unresolved());
        }
        return topicUse.publish(event, destination, this::send);
    }

    private CompletionStage<PublishResult> send(ProducerRecord<byte[], byte[]> record) {
        ProducerPipeline current = line;
        if (current == null) {
            try {
                current = new ProducerPipeline(settings.plain(), deliveryTimeout, topics);
            } catch (KafkaException e) {
                // The settings were checked when this was built: it is the way to the brokers, such as name resolution.
                return CompletableFuture.completedFuture(
                        new PublishResult.Unavailable("No producer can be made: " + FailureClasses.rootMessage(e)));
            }
            line = current;
            if (halted || closed) {
                // Whoever did that meanwhile did not know of this producer.
                current.stop();
            }
        }
        return current.send(record);
    }

    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        ProducerPipeline current = line;
        return current != null && current.isKnownAt(destination, Envelope.key(event));
    }

    @Override
    public boolean stopsAtFailure() {
        return true;
    }

    @Override
    public void flush() {
        ProducerPipeline current = line;
        if (current != null) {
            current.lingerNoLonger();
        }
    }

    @Override
    public void expireOverdue() {
        ProducerPipeline current = line;
        if (current != null) {
            current.giveUpIfLate();
        }
    }

    private boolean isStopped() {
        ProducerPipeline current = line;
        return halted || closed || current != null && current.isStopped();
    }

    @Override
    public void halt() {
        halted = true;
        ProducerPipeline current = line;
        if (current != null) {
            current.stop();
        }
    }

    @Override
    public void resume() {
        halted = false;
        ProducerPipeline current = line;
        if (current != null && current.isStopped()) {
            line = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        halt();
        topicUse.close();
    }

    /**
     * {@inheritDoc}
     *
     * <p>The transactional id is {@code postrider-OUTBOX-SHARD}; the position is a record in partition SHARD of the
     * topic {@code postrider-positions-OUTBOX}, see {@link Builder#positionsTopic}. The publisher's properties apply,
     * with Kafka's own defaults for retries (unlimited within the delivery timeout, 100 ms apart at first), because
     * giving up one record aborts everything that was sent with it; and {@code delivery.timeout.ms}, {@code
     * max.block.ms} and {@code request.timeout.ms} are reduced to fit into the transaction's timeout.
     *
     * @throws PostriderException if the names or the settings cannot be used
     */
    @Override
    public TransactionalPublisher pipeline(String outboxId, int shard, int shards, Duration timeout) {
        if (shard < 0 || shard >= shards) {
            throw new PostriderException("There is no shard " + shard + " among " + shards + ": they count from 0.");
        }
        if (timeout.toMillis() < 1 || timeout.toMillis() > Integer.MAX_VALUE) {
            throw new PostriderException("A transaction cannot last " + timeout + ": give it some seconds.");
        }
        Map<String, Object> transactional =
                settings.transactional("postrider-" + outboxId + "-" + shard, shard, timeout);
        PositionsTopic positions = new PositionsTopic(positionsPrefix + outboxId, shards, transactional);
        return new TransactionalPipeline(transactional, positions, shard, routing, envelope, topics);
    }

    /** Options of a Kafka publisher. */
    public static final class Builder {
        private final Map<String, Object> properties = new HashMap<>();
        private TopicRouting routing = TopicRouting.byConvention();
        private ContentMode contentMode = ContentMode.BINARY;
        private @Nullable String bodyIdField;
        private String defaultSource = "postrider";
        private String positionsPrefix = POSITIONS_PREFIX;

        private Builder(String bootstrapServers) {
            Objects.requireNonNull(bootstrapServers, "bootstrapServers");
            for (String server : bootstrapServers.split(",")) {
                if (Utils.getHost(server.strip()) == null || Utils.getPort(server.strip()) == null) {
                    throw new PostriderException("The bootstrap servers of Kafka are [" + bootstrapServers
                            + "]; they must be host:port, or several of them separated by commas.");
                }
            }
            properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        }

        /**
         * Any setting of Kafka's producer; overrides Postrider's defaults: acks=all, idempotence, 3 retries 1 s apart,
         * 120 s delivery timeout, 30 s request timeout, 5 requests in flight, 5 s at most on the relay's thread ({@code
         * max.block.ms}, which cannot be longer), 5 ms linger (while more events are available; the last ones of a
         * burst are sent at once).
         *
         * @param value text, or whatever else Kafka's client accepts for it: a number, a class, an object for a plugin
         */
        public Builder property(String name, Object value) {
            String text = value.toString();
            boolean allowed = switch (name) {
                case ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG -> text.equals("true");
                case ProducerConfig.ACKS_CONFIG -> text.equals("all") || text.equals("-1");
                case ProducerConfig.PARTITIONER_CLASS_CONFIG,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> false;
                case ProducerConfig.TRANSACTION_TWO_PHASE_COMMIT_ENABLE_CONFIG -> text.equals("false");
                case ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG -> text.equals("false");
                default -> true;
            };
            if (!allowed) {
                throw new PostriderException("The producer property " + name + "=" + text
                        + " would break what Postrider promises: leave it at its default.");
            }
            properties.put(name, value);
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
         * Also puts the event's id into bodies that are JSON objects, under this name, for example {@code messageId}; if
         * a body already has the field, its value is replaced. Default: bodies are not changed.
         */
        public Builder bodyIdField(@Nullable String name) {
            this.bodyIdField = name;
            return this;
        }

        /** The CloudEvents source of events that do not set one. Default: {@code postrider}. */
        public Builder defaultSource(String source) {
            this.defaultSource = source;
            return this;
        }

        /**
         * Where exactly-once delivery stores its positions: one compacted topic per outbox, whose name is this prefix
         * and the outbox's id. It is created when the first shard is taken over; positions in a topic of another name
         * are not copied. Default: {@code postrider-positions-}.
         */
        public Builder positionsTopic(String prefix) {
            this.positionsPrefix = prefix;
            return this;
        }

        /**
         * @throws PostriderException if Kafka's client does not accept the settings
         */
        public KafkaPublisher build() {
            return new KafkaPublisher(this);
        }
    }
}
