package dev.postrider.kafka.topics;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeProducersResult;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds transactions that are open in partitions, and ends them. Used by one thread; every wait for an answer has a
 * timeout.
 */
public final class OpenTransactions implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final String LONGEST = "transaction.max.timeout.ms";
    private static final Duration USUALLY_LONGEST = Duration.ofMinutes(15);

    private final Admin admin;
    private final Duration patience;
    private final @Nullable Long deadline;

    private OpenTransactions(Admin admin, Duration patience, @Nullable Long deadline) {
        this.admin = admin;
        this.patience = patience;
        this.deadline = deadline;
    }

    /**
     * @param adminSettings of Kafka's administration client: where the brokers are and how to connect to them
     * @param patience for each answer
     * @throws PostriderException if the client does not accept them
     */
    public static OpenTransactions connect(Map<String, Object> adminSettings, Duration patience) {
        return open(adminSettings, patience, null);
    }

    /**
     * @param adminSettings of Kafka's administration client: where the brokers are and how to connect to them
     * @param patience for each answer
     * @param inAll for all answers together, from now on
     * @throws PostriderException if the client does not accept them
     */
    public static OpenTransactions connect(Map<String, Object> adminSettings, Duration patience, Duration inAll) {
        return open(adminSettings, patience, System.nanoTime() + inAll.toNanos());
    }

    private static OpenTransactions open(
            Map<String, Object> adminSettings, Duration patience, @Nullable Long deadline) {
        try {
            return new OpenTransactions(Admin.create(adminSettings), patience, deadline);
        } catch (KafkaException e) {
            throw new PostriderException("Kafka's client does not accept its settings: " + e.getMessage(), e);
        }
    }

    /**
     * The partitions that have leaders, for those of the topics that exist.
     *
     * @throws KafkaException if the brokers do not say
     */
    public List<TopicPartition> partitions(Collection<String> topics) throws InterruptedException {
        List<TopicPartition> partitions = new ArrayList<>();
        for (KafkaFuture<TopicDescription> topic :
                admin.describeTopics(topics).topicNameValues().values()) {
            try {
                TopicDescription description = answer(topic);
                description.partitions().stream()
                        .filter(partition -> partition.leader() != null
                                && !partition.leader().isEmpty())
                        .forEach(partition ->
                                partitions.add(new TopicPartition(description.name(), partition.partition())));
            } catch (UnknownTopicOrPartitionException e) {
                // Then nothing is open in it.
            }
        }
        return partitions;
    }

    /**
     * All open transactions in these partitions. A transaction that ends during the search may be missing, but is never
     * reported as hanging:
     *
     * <ol>
     *   <li>Ask the leaders what is open.
     *   <li>Ask the coordinators what they know about those producers.
     *   <li>Ask the leaders again about transactions that no coordinator knows: one that had just ended is gone now.
     * </ol>
     *
     * @throws KafkaException if the brokers do not say
     */
    public List<OpenTransaction> find(Collection<TopicPartition> partitions) throws InterruptedException {
        List<OpenTransaction> open = inPartitions(partitions);
        if (open.isEmpty()) {
            return open;
        }
        List<OpenTransaction> known = withCoordinators(open);
        List<TopicPartition> suspicious = known.stream()
                .filter(OpenTransaction::isHanging)
                .map(OpenTransaction::partition)
                .distinct()
                .toList();
        if (suspicious.isEmpty()) {
            return known;
        }
        List<OpenTransaction> still = inPartitions(suspicious);
        return known.stream()
                .filter(one -> !one.isHanging() || still.stream().anyMatch(one::isSameAs))
                .toList();
    }

    private List<OpenTransaction> inPartitions(Collection<TopicPartition> partitions) throws InterruptedException {
        DescribeProducersResult described = admin.describeProducers(partitions);
        List<OpenTransaction> open = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            for (ProducerState producer :
                    answer(described.partitionResult(partition)).activeProducers()) {
                producer.currentTransactionStartOffset()
                        .ifPresent(offset -> open.add(new OpenTransaction(
                                partition,
                                offset,
                                producer.producerId(),
                                producer.producerEpoch(),
                                producer.coordinatorEpoch().orElse(-1),
                                Instant.ofEpochMilli(producer.lastTimestamp()),
                                null,
                                false)));
            }
        }
        return open;
    }

    private List<OpenTransaction> withCoordinators(List<OpenTransaction> open) throws InterruptedException {
        List<Long> producers =
                open.stream().map(OpenTransaction::producerId).distinct().toList();
        Map<Long, String> ids = new HashMap<>();
        Map<Long, TransactionDescription> descriptions = new HashMap<>();
        for (TransactionListing listed :
                answer(admin.listTransactions(new ListTransactionsOptions().filterProducerIds(producers))
                        .all())) {
            ids.put(listed.producerId(), listed.transactionalId());
            TransactionDescription description = describe(listed.transactionalId());
            if (description != null) {
                descriptions.put(listed.producerId(), description);
            }
        }
        Duration longest = longestTransaction();
        Instant now = Instant.now();
        return open.stream()
                .map(one -> one.with(
                        coordinated(one, ids.get(one.producerId()), descriptions.get(one.producerId())), longest, now))
                .toList();
    }

    private @Nullable TransactionDescription describe(String transactionalId) throws InterruptedException {
        try {
            return answer(admin.describeTransactions(List.of(transactionalId)).description(transactionalId));
        } catch (TransactionalIdNotFoundException e) {
            // It has expired since it was listed.
            return null;
        }
    }

    private static OpenTransaction.@Nullable Coordinated coordinated(
            OpenTransaction one, @Nullable String id, @Nullable TransactionDescription description) {
        if (id == null || description == null) {
            return null;
        }
        Instant since = description.transactionStartTimeMs().isPresent()
                ? Instant.ofEpochMilli(description.transactionStartTimeMs().getAsLong())
                : null;
        return new OpenTransaction.Coordinated(
                id,
                description.state(),
                description.producerEpoch(),
                description.topicPartitions().contains(one.partition()),
                Duration.ofMillis(description.transactionTimeoutMs()),
                since);
    }

    /** As the brokers allow it, if we may know. */
    private Duration longestTransaction() throws InterruptedException {
        try {
            Node broker = answer(admin.describeCluster().nodes()).iterator().next();
            ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
            ConfigEntry limit = answer(
                            admin.describeConfigs(List.of(resource)).values().get(resource))
                    .get(LONGEST);
            return limit == null || limit.value() == null
                    ? USUALLY_LONGEST
                    : Duration.ofMillis(Long.parseLong(limit.value()));
        } catch (AuthorizationException e) {
            return USUALLY_LONGEST;
        }
    }

    /**
     * Whether this user may end a hanging transaction. Brokers without access control allow everybody.
     *
     * @throws KafkaException if the brokers do not say
     */
    public boolean mayAbortHanging() throws InterruptedException {
        Set<AclOperation> allowed =
                answer(admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
                        .authorizedOperations());
        return allowed != null
                && (allowed.contains(AclOperation.ALTER)
                        || allowed.contains(AclOperation.CLUSTER_ACTION)
                        || allowed.contains(AclOperation.ALL));
    }

    /**
     * Ends it, so that consumers of committed records never see its records. A hanging transaction is ended in its
     * partition. A transaction that its coordinator knows is ended by the coordinator, in all its partitions, and its
     * producer is fenced: ending it in this partition alone would split the transaction.
     *
     * @throws KafkaException if the brokers do not do it
     */
    public void abort(OpenTransaction transaction) throws InterruptedException {
        OpenTransaction.Coordinated known = transaction.coordinated();
        if (known != null && !transaction.isHanging()) {
            answer(admin.fenceProducers(List.of(known.transactionalId())).all());
        } else {
            answer(admin.abortTransaction(new AbortTransactionSpec(
                            transaction.partition(),
                            transaction.producerId(),
                            (short) transaction.producerEpoch(),
                            Math.max(0, transaction.coordinatorEpoch())))
                    .all());
        }
    }

    /** Null is none of Kafka's answers to what was asked for, only a possibility of its types. */
    private <T> T answer(@Nullable KafkaFuture<T> future) throws InterruptedException {
        long left = deadline == null ? Long.MAX_VALUE : Math.max(0, deadline - System.nanoTime());
        try {
            return Objects.requireNonNull(future).get(Math.min(patience.toNanos(), left), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KafkaException known) {
                throw known;
            }
            throw new KafkaException(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            throw new org.apache.kafka.common.errors.TimeoutException(
                    "no answer within " + patience.toSeconds() + " s", e);
        }
    }

    @Override
    public void close() {
        admin.close(CLOSING);
    }
}
