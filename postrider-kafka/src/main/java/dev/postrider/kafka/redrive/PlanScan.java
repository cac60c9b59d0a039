package dev.postrider.kafka.redrive;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Reads a dead letter topic from one end to the other, as a member of no group, and counts. One thread. */
final class PlanScan {
    private static final Duration POLL = Duration.ofMillis(100);

    private record Kind(String topic, String reason, int redriven) {}

    private final RedriveRequest request;
    private final DeadLetterLog log;
    private final ClientSettings settings;
    private final Map<Kind, Long> counts = new HashMap<>();
    private long matching;
    private long sentBefore;
    private long withoutOrigin;

    PlanScan(RedriveRequest request, DeadLetterLog log, ClientSettings settings) {
        this.request = request;
        this.log = log;
        this.settings = settings;
    }

    /** What there is; about the topics that records would go to, nothing is known yet. */
    RedrivePlan read(BooleanSupplier stop, Consumer<RedriveProgress> progress) {
        Map<TopicPartition, Long> ends;
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(settings.reader())) {
            List<TopicPartition> partitions = List.copyOf(log.partitions());
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            ends = reader.endOffsets(partitions);
            Extent extent = new Extent(reader.beginningOffsets(partitions), ends);
            while (!extent.isRead(reader::position) && !stop.getAsBoolean()) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
                    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                    if (record.offset() < extent.end(partition)) {
                        count(partition, new DeadLetter(record));
                    }
                }
                progress.accept(extent.progress(reader::position, 0));
            }
        }
        List<RedrivePlan.Group> groups = counts.entrySet().stream()
                .map(entry -> new RedrivePlan.Group(
                        entry.getKey().topic(),
                        entry.getKey().reason(),
                        entry.getKey().redriven(),
                        entry.getValue()))
                .sorted(Comparator.comparing(RedrivePlan.Group::topic)
                        .thenComparing(RedrivePlan.Group::records, Comparator.reverseOrder())
                        .thenComparing(RedrivePlan.Group::reason)
                        .thenComparing(RedrivePlan.Group::redriven))
                .toList();
        return new RedrivePlan(request, groups, matching, sentBefore, withoutOrigin, Map.of(), ends);
    }

    private void count(TopicPartition partition, DeadLetter letter) {
        if (!request.filter().matches(letter)) {
            return;
        }
        String destination = request.destination(letter);
        if (destination == null) {
            withoutOrigin++;
        } else if (log.sentBefore(partition, request).has(letter, destination)) {
            sentBefore++;
        } else {
            matching++;
            counts.merge(new Kind(destination, letter.reason(), letter.redriven()), 1L, Long::sum);
        }
    }
}
