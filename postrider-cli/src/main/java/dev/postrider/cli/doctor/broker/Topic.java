package dev.postrider.cli.doctor.broker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * A topic that exists.
 *
 * @param settings by their names at Kafka; empty if we may not see them
 */
record Topic(TopicDescription description, Map<String, String> settings) {
    Topic {
        settings = Map.copyOf(settings);
    }

    String name() {
        return description.name();
    }

    List<TopicPartitionInfo> partitions() {
        return description.partitions();
    }

    /** Of the partition that has the fewest. */
    int replicas() {
        return partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
    }

    Optional<Integer> minInSync() {
        return Optional.ofNullable(settings.get("min.insync.replicas")).map(Integer::valueOf);
    }

    Optional<Long> maxMessageBytes() {
        return Optional.ofNullable(settings.get("max.message.bytes")).map(Long::valueOf);
    }

    boolean isCompacted() {
        return settings.getOrDefault("cleanup.policy", "").contains("compact");
    }
}
