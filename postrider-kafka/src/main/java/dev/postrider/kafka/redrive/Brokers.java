package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** What a redrive asks the brokers before it sends anything. One thread. */
final class Brokers implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final long PAUSE_MILLIS = 250;

    private final Admin admin;

    Brokers(Admin admin) {
        this.admin = admin;
    }

    /**
     * @throws PostriderException if the topic does not exist, or may not be read
     */
    DeadLetterLog look(String topic) throws InterruptedException {
        TopicDescription description;
        try {
            description = answer(
                    admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
        } catch (UnknownTopicOrPartitionException | InvalidTopicException e) {
            throw new PostriderException(
                    "There is no topic " + topic
                            + ". The dead letter topic of order-events is order-events.dlq, unless its"
                            + " consumers have another suffix.",
                    e);
        }
        Map<TopicPartition, OffsetAndMetadata> committed =
                answer(admin.listConsumerGroupOffsets(Redrive.groupOf(topic)).partitionsToOffsetAndMetadata());
        String topicId = description.topicId().toString();
        Map<TopicPartition, SentBefore> sentBefore = new HashMap<>();
        description.partitions().forEach(info -> {
            TopicPartition partition = new TopicPartition(topic, info.partition());
            OffsetAndMetadata known = committed.get(partition);
            sentBefore.put(partition, SentBefore.read(known == null ? null : known.metadata(), topicId));
        });
        return new DeadLetterLog(topic, topicId, sentBefore);
    }

    /** What keeps records from being sent to the topics of these groups, by topic. */
    Map<String, String> problems(Collection<RedrivePlan.Group> groups) throws InterruptedException {
        Map<String, Long> records = groups.stream()
                .collect(Collectors.groupingBy(
                        RedrivePlan.Group::topic, Collectors.summingLong(RedrivePlan.Group::records)));
        Map<String, String> problems = new HashMap<>();
        var descriptions = admin.describeTopics(
                        records.keySet(), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues();
        for (Map.Entry<String, Long> entry : records.entrySet()) {
            String topic = entry.getKey();
            String what = entry.getValue() + (entry.getValue() == 1 ? " record" : " records");
            try {
                TopicDescription description = answer(descriptions.get(topic));
                Set<AclOperation> allowed = description.authorizedOperations();
                if (allowed != null
                        && !allowed.isEmpty()
                        && !allowed.contains(AclOperation.WRITE)
                        && !allowed.contains(AclOperation.ALL)) {
                    problems.put(topic, forbidden(topic, what));
                }
            } catch (UnknownTopicOrPartitionException | InvalidTopicException e) {
                problems.put(
                        topic,
                        "Topic " + topic + ", where " + what
                                + " came from, does not exist: create it ('postrider topics"
                                + " apply'), or name another topic (--to).");
            } catch (TopicAuthorizationException e) {
                problems.put(topic, forbidden(topic, what));
            }
        }
        return problems;
    }

    private static String forbidden(String topic, String what) {
        return "This user may not write to topic " + topic + ", where " + what + " came from: kafka-acls.sh --add"
                + " --allow-principal User:NAME --operation Write --topic " + topic + ".";
    }

    /**
     * Waits a little for a member that may be dead.
     *
     * @throws PostriderException if somebody is redriving
     */
    void requireNobodyIn(String group, BooleanSupplier stop) throws InterruptedException {
        long start = System.nanoTime();
        long patience = ClientSettings.SESSION.plusSeconds(5).toNanos();
        Collection<MemberDescription> members = members(group);
        while (!members.isEmpty() && !stop.getAsBoolean()) {
            if (System.nanoTime() - start > patience) {
                MemberDescription one = members.iterator().next();
                throw new PostriderException("Somebody else is redriving this topic, from host " + one.host()
                        + " (group " + group + "). Wait until that is done; nothing was sent.");
            }
            Thread.sleep(PAUSE_MILLIS);
            members = members(group);
        }
    }

    private Collection<MemberDescription> members(String group) throws InterruptedException {
        try {
            ConsumerGroupDescription description = answer(admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .get(group));
            return description.members();
        } catch (GroupIdNotFoundException e) {
            return List.of();
        }
    }

    static PostriderException explain(String what, KafkaException error) {
        String advice = "";
        if (error instanceof GroupAuthorizationException group) {
            advice = " This user may not use the group that keeps the progress: kafka-acls.sh --add --allow-principal"
                    + " User:NAME --operation Read --group " + group.groupId() + ".";
        } else if (error instanceof TopicAuthorizationException topic) {
            advice =
                    " This user may not use the topic: kafka-acls.sh --add --allow-principal User:NAME --operation Read"
                            + " --topic " + String.join(",", topic.unauthorizedTopics())
                            + " (Write for topics that records are sent to).";
        } else if (error instanceof AuthorizationException) {
            advice = " It takes Read on the dead letter topic and its group, and Write on the topics that records are"
                    + " sent to.";
        } else if (error instanceof TimeoutException || error instanceof DisconnectException) {
            advice = " The brokers do not answer: look whether the address is right and they are up.";
        }
        String message = rootMessage(error);
        return new PostriderException(what + ": " + message + (message.endsWith(".") ? "" : ".") + advice, error);
    }

    static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() != null ? root.getMessage() : root.getClass().getSimpleName();
    }

    /** Null is none of Kafka's answers to what was asked for, only a possibility of its types. */
    private static <T> T answer(@Nullable KafkaFuture<T> future) throws InterruptedException {
        try {
            return Objects.requireNonNull(future).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
        }
    }

    @Override
    public void close() {
        admin.close(CLOSING);
    }
}
