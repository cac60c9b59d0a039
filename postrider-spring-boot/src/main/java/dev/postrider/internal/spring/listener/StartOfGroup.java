package dev.postrider.internal.spring.listener;

import dev.postrider.kafka.consume.StartAt;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;

/**
 * Where a group starts that has never committed anything of a partition; and that is committed at once. Otherwise a crash before
 * the first commit would let it start anew, behind records that it had read and not handled. The consumer's own reset is for
 * a group whose place is gone, which goes on with the oldest record.
 */
final class StartOfGroup implements ConsumerAwareRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(StartOfGroup.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final StartAt startAt;

    StartOfGroup(StartAt startAt) {
        this.startAt = startAt;
    }

    @Override
    public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        Set<TopicPartition> unknown = new HashSet<>(partitions);
        consumer.committed(Set.copyOf(partitions), TIMEOUT).forEach((partition, offset) -> {
            if (offset != null) {
                unknown.remove(partition);
            }
        });
        if (unknown.isEmpty()) {
            // To Kafka no partitions mean all of them.
            return;
        }
        if (startAt == StartAt.LATEST) {
            consumer.seekToEnd(unknown);
        } else {
            consumer.seekToBeginning(unknown);
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> beginnings = new HashMap<>();
            unknown.forEach(partition ->
                    beginnings.put(partition, new OffsetAndMetadata(consumer.position(partition, TIMEOUT))));
            consumer.commitSync(beginnings, TIMEOUT);
        } catch (KafkaException e) {
            log.warn("The start of {} is not committed: {}", unknown, e.toString());
        }
    }
}
