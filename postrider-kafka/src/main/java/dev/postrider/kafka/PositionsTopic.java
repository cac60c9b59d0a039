package dev.postrider.kafka;

import dev.postrider.PostriderException;
import dev.postrider.publish.DestinationUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The topic in which an outbox keeps how far its events have come: a partition per shard, and in it one key. Each shard
 * has its partition to itself, because an open transaction hides what others commit behind it in the same partition.
 *
 * <p>Relay's thread; connects only for as long as a method lasts.
 */
final class PositionsTopic {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    private static final Duration PAUSE = Duration.ofMillis(100);

    /**
     * What a take-over reads is what compaction has left. Compaction leaves the segment alone that is being written,
     * so that one is small: by size, since a bound by time would say nothing about a busy outbox. It begins as soon as
     * there is a little to gain. And it keeps the marks of transactions, one for each position, for the time given for
     * deletions, a day by default; nobody needs them but a reader that is just there. Together some 20 MB at most.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.SEGMENT_BYTES_CONFIG,
            String.valueOf(16 * 1024 * 1024),
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
            "0.01",
            TopicConfig.DELETE_RETENTION_MS_CONFIG,
            String.valueOf(Duration.ofMinutes(10).toMillis()));

    private final String name;
    private final int shards;
    private final Map<String, Object> admin;
    private final Map<String, Object> reader;
    private final Duration patience;
    private final HangingPosition hanging;

    PositionsTopic(String name, int shards, Map<String, Object> producerSettings) {
        if (!NAME.matcher(name).matches()) {
            throw new PostriderException("The positions topic cannot be called [" + name
                    + "]: its prefix and the outbox's id together have 1 to 249 letters, digits, dots, underscores or"
                    + " hyphens.");
        }
        this.name = name;
        this.shards = shards;
        this.admin = ProducerSettings.admin(producerSettings);
        this.reader = ProducerSettings.reader(producerSettings);
        this.patience = Duration.ofMillis(ProducerSettings.patience(producerSettings));
        this.hanging = new HangingPosition(producerSettings);
    }

    /** A position as it is written. */
    ProducerRecord<byte[], byte[]> record(int shard, String position) {
        return PositionRecord.position(new TopicPartition(name, shard), position);
    }

    /**
     * Makes the topic if there is none. Others may be doing the same: whoever comes first makes it, all check it.
     *
     * @throws PostriderException if there is one that cannot be used
     */
    void prepare() throws DestinationUnavailableException {
        long start = System.nanoTime();
        try (Admin client = Admin.create(admin)) {
            while (!isUsable(client)) {
                // Also a new one: brokers hear of it one after the other.
                if (System.nanoTime() - start > patience.toNanos()) {
                    throw new TimeoutException("it was created, but no broker knows it after " + patience);
                }
                create(client);
                Thread.sleep(PAUSE.toMillis());
            }
        } catch (ExecutionException | TimeoutException | KafkaException | InterruptedException e) {
            throw unavailable(
                    "could not be looked up or created",
                    ". If this user may not create it, do it yourself: " + shards + " partitions, "
                            + TopicConfig.CLEANUP_POLICY_CONFIG + "=" + TopicConfig.CLEANUP_POLICY_COMPACT,
                    e);
        }
    }

    private boolean isUsable(Admin client) throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        int partitions;
        String policy;
        try {
            partitions = get(client.describeTopics(List.of(name))
                            .topicNameValues()
                            .get(name))
                    .partitions()
                    .size();
            policy = get(client.describeConfigs(List.of(resource)).values().get(resource))
                    .get(TopicConfig.CLEANUP_POLICY_CONFIG)
                    .value();
        } catch (UnknownTopicOrPartitionException e) {
            return false;
        }
        if (partitions != shards) {
            throw new PostriderException("The positions topic " + name + " has " + partitions
                    + " partitions, but the outbox has " + shards + " shards, and each needs one of its own."
                    + " If the number of shards was changed here, change it back to " + partitions
                    + ". If the topic was not made by Postrider, or by a broker's automatic creation, delete it: it is"
                    + " made as it must be at the next start.");
        }
        if (!TopicConfig.CLEANUP_POLICY_COMPACT.equals(policy)) {
            throw new PostriderException("The positions topic " + name + " has " + TopicConfig.CLEANUP_POLICY_CONFIG
                    + "=" + policy + ", so that a position may be deleted because of its age. Set it to exactly "
                    + TopicConfig.CLEANUP_POLICY_COMPACT + ": kafka-configs.sh --alter --entity-type topics"
                    + " --entity-name " + name + " --add-config " + TopicConfig.CLEANUP_POLICY_CONFIG + "="
                    + TopicConfig.CLEANUP_POLICY_COMPACT);
        }
        return true;
    }

    private void create(Admin client) throws ExecutionException, InterruptedException {
        // How often it is replicated and what is in sync is the brokers' default, as for the events' topics.
        NewTopic topic = new NewTopic(name, Optional.of(shards), Optional.empty()).configs(SETTINGS);
        try {
            get(client.createTopics(List.of(topic)).all());
        } catch (TopicExistsException e) {
            // By another relay, just now.
        }
    }

    /**
     * The position committed last in the partition of a shard; null if there is none. To be called when no transaction
     * of this shard is open any more. One that its coordinator has forgotten is ended, if it can be told what has become of it.
     */
    @Nullable
    PositionRecord read(int shard) throws DestinationUnavailableException {
        TopicPartition partition = new TopicPartition(name, shard);
        try {
            try {
                return readToTheEnd(partition);
            } catch (StuckException e) {
                if (!hanging.end(partition)) {
                    throw e;
                }
                return readToTheEnd(partition);
            }
        } catch (ExecutionException | TimeoutException | KafkaException | InterruptedException e) {
            throw unavailable(
                    "could not be read to the end of partition " + shard,
                    ". If that does not change, a transaction may have been left open in it:"
                            + " 'postrider doctor' names it, with the command that ends it",
                    e);
        }
    }

    /**
     * Committed positions end where a transaction is open, so a reader that comes to their end may have stopped too
     * early. Hence the end is what was written, committed or not, and the reader has to get there. It is given up only
     * if it does not get on: a long history takes its time.
     */
    private @Nullable PositionRecord readToTheEnd(TopicPartition partition)
            throws ExecutionException, InterruptedException, StuckException {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(reader, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            long end = endOf(partition);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            PositionRecord last = null;
            long furthest = -1;
            long since = System.nanoTime();
            while (true) {
                long reached = consumer.position(partition);
                if (reached >= end) {
                    return last;
                }
                if (reached > furthest) {
                    furthest = reached;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > patience.toNanos()) {
                    throw new StuckException("for " + patience + " offset " + reached + " was not passed, of " + end);
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(PAUSE)) {
                    PositionRecord next = PositionRecord.of(record);
                    // An attestation speaks of a position that was before it.
                    if (next != null && (last == null || next.offset() > last.offset())) {
                        last = next;
                    }
                }
            }
        }
    }

    private static final class StuckException extends TimeoutException {
        private static final long serialVersionUID = 1;

        StuckException(String message) {
            super(message);
        }
    }

    /** The high watermark. */
    private long endOf(TopicPartition partition) throws ExecutionException, InterruptedException {
        try (Admin client = Admin.create(admin)) {
            ListOffsetsOptions everything = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED);
            return get(client.listOffsets(Map.of(partition, OffsetSpec.latest()), everything)
                            .partitionResult(partition))
                    .offset();
        }
    }

    /** Kafka's own exception rather than the one around it. */
    private static <T> T get(@Nullable KafkaFuture<T> future) throws ExecutionException, InterruptedException {
        try {
            return Objects.requireNonNull(future).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KafkaException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private DestinationUnavailableException unavailable(String what, String advice, Exception cause) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new DestinationUnavailableException(
                "The positions topic " + name + " " + what + ": " + FailureClasses.rootMessage(cause) + advice + ".",
                cause);
    }
}
