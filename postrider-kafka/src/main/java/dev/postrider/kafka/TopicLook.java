package dev.postrider.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Asks a cluster about topics, through clients of its own. Used by one thread, which may wait for some seconds. */
class TopicLook {
    private static final long MEMORY = Duration.ofMinutes(1).toNanos();
    private static final Duration PROVOCATION = Duration.ofSeconds(2);

    private final Map<String, Object> adminSettings;
    private final Map<String, Object> consumerSettings;
    private final int patience;
    private @Nullable Admin admin;
    private @Nullable Boolean madeByBrokers;
    private long askedBrokers;
    private @Nullable KafkaConsumer<byte[], byte[]> consumer;

    /**
     * @param settings of the producer that goes to the same cluster
     */
    TopicLook(ProducerSettings settings) {
        this.patience = settings.patience();
        this.adminSettings = settings.topicAdmin();
        this.consumerSettings = settings.topicProbe();
    }

    /** What a cluster says of a topic. */
    sealed interface Answer {
        /**
         * It is there, and may be written.
         *
         * @param partitions 0 if nobody could say: then sending tells
         * @param leaderless those of them that have no leader
         */
        record Good(int partitions, Set<Integer> leaderless) implements Answer {}

        record Missing() implements Answer {}

        record Forbidden() implements Answer {}

        /** It could not be asked. */
        record NoAnswer(String reason) implements Answer {}
    }

    Map<String, Answer> at(Collection<String> topics) {
        Map<String, Answer> answers = new HashMap<>();
        try {
            Map<String, KafkaFuture<TopicDescription>> asked = admin().describeTopics(
                            topics,
                            new DescribeTopicsOptions()
                                    .includeAuthorizedOperations(true)
                                    .timeoutMs(patience))
                    .topicNameValues();
            for (String topic : topics) {
                answers.put(topic, answer(Objects.requireNonNull(asked.get(topic))));
            }
        } catch (KafkaException e) {
            // No client could be made; the settings were checked, so it is the way to the brokers.
            topics.forEach(topic -> answers.put(topic, new Answer.NoAnswer(FailureClasses.rootMessage(e))));
        }
        return answers;
    }

    /** Asks the leader of a partition something small, and does not wait for it. */
    void ask(TopicPartition partition, Runnable onAnswer) {
        try {
            admin().listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions().timeoutMs(patience))
                    .partitionResult(partition)
                    .whenComplete((offset, error) -> {
                        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
                        if (!(cause instanceof RetriableException)) {
                            onAnswer.run();
                        }
                    });
        } catch (KafkaException e) {
            // No client could be made: it is asked again.
        }
    }

    private static Answer answer(KafkaFuture<TopicDescription> asked) {
        try {
            return judge(asked.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return new Answer.Missing();
            }
            if (e.getCause() instanceof TopicAuthorizationException) {
                return new Answer.Forbidden();
            }
            // Its producer rejects the events then, for good.
            return e.getCause() instanceof InvalidTopicException
                    ? new Answer.Good(0, Set.of())
                    : new Answer.NoAnswer(FailureClasses.rootMessage(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.NoAnswer("interrupted");
        }
    }

    private static Answer judge(TopicDescription topic) {
        Set<AclOperation> allowed = topic.authorizedOperations();
        boolean mayWrite = allowed == null
                || allowed.isEmpty()
                || allowed.contains(AclOperation.WRITE)
                || allowed.contains(AclOperation.ALL);
        if (!mayWrite) {
            return new Answer.Forbidden();
        }
        Set<Integer> leaderless = new HashSet<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            Node leader = partition.leader();
            if (leader == null || leader.isEmpty()) {
                leaderless.add(partition.partition());
            }
        }
        return new Answer.Good(topic.partitions().size(), Set.copyOf(leaderless));
    }

    /** Whether brokers make topics when they are asked for them; true if they do not tell. */
    boolean doBrokersMakeTopics() {
        if (madeByBrokers != null && System.nanoTime() - askedBrokers < MEMORY) {
            return madeByBrokers;
        }
        boolean made = true;
        try {
            Node any = admin().describeCluster(new DescribeClusterOptions().timeoutMs(patience))
                    .nodes()
                    .get()
                    .iterator()
                    .next();
            ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, any.idString());
            ConfigEntry entry = Objects.requireNonNull(
                            admin().describeConfigs(List.of(broker), new DescribeConfigsOptions().timeoutMs(patience))
                                    .values()
                                    .get(broker))
                    .get()
                    .get("auto.create.topics.enable");
            made = entry == null || !"false".equals(entry.value());
        } catch (ExecutionException | KafkaException | NoSuchElementException e) {
            // Not everybody may ask.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        madeByBrokers = made;
        askedBrokers = System.nanoTime();
        return made;
    }

    /** Brokers that make topics when they are asked for, and are told that they may, do so now. */
    void provoke(String topic) {
        try {
            KafkaConsumer<byte[], byte[]> current = consumer;
            if (current == null) {
                current =
                        new KafkaConsumer<>(consumerSettings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                consumer = current;
            }
            current.partitionsFor(topic, PROVOCATION);
        } catch (KafkaException e) {
            // Whether it helped is seen by looking.
        }
    }

    /** Until the next missing topic there is nothing to provoke. */
    void endProvoking() {
        KafkaConsumer<byte[], byte[]> current = consumer;
        consumer = null;
        if (current != null) {
            close(current);
        }
    }

    private static void close(KafkaConsumer<?, ?> consumer) {
        try {
            consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
        } catch (KafkaException e) {
            // It is closed all the same.
        }
    }

    private Admin admin() {
        Admin current = admin;
        if (current == null) {
            current = Admin.create(adminSettings);
            admin = current;
        }
        return current;
    }

    void close() {
        endProvoking();
        Admin current = admin;
        admin = null;
        if (current != null) {
            current.close(Duration.ZERO);
        }
    }
}
