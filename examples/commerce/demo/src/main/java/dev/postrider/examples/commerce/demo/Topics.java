package dev.postrider.examples.commerce.demo;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** The topics and the groups that read them, as those see them who run Kafka. */
final class Topics implements AutoCloseable {
    private static final List<String> GROUPS = List.of(
            "commerce-statistics-likes",
            "commerce-statistics-views",
            "commerce-statistics-sales",
            "commerce-statistics-stock");
    private static final int PARTITIONS = 3;

    private final Admin kafka;

    Topics(String bootstrapServers) {
        kafka = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** From then on they hear of everything. */
    boolean groupsHaveBegun() throws ExecutionException, InterruptedException {
        for (String group : GROUPS) {
            if (committed(group).size() < PARTITIONS) {
                return false;
            }
        }
        return true;
    }

    /** Whether the groups are done with everything that there is. */
    boolean allIsRead() throws ExecutionException, InterruptedException {
        for (String group : GROUPS) {
            Map<TopicPartition, Long> done = committed(group);
            if (!ends(List.copyOf(done.keySet())).equals(done)) {
                return false;
            }
        }
        return true;
    }

    long deadLettersOf(String topic) throws ExecutionException, InterruptedException {
        TopicPartition only = new TopicPartition(topic + ".dlq", 0);
        return ends(List.of(only)).get(only);
    }

    private Map<TopicPartition, Long> committed(String group) throws ExecutionException, InterruptedException {
        return kafka.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    private Map<TopicPartition, Long> ends(List<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        return kafka
                .listOffsets(partitions.stream()
                        .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest())))
                .all()
                .get()
                .entrySet()
                .stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    @Override
    public void close() {
        kafka.close();
    }
}
