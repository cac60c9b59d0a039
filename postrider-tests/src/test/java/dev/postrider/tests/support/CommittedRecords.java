package dev.postrider.tests.support;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What a consumer sees that reads committed records only. */
public final class CommittedRecords {
    private CommittedRecords() {}

    /** The bodies of all records there are now, by key, each key's in their order. */
    public static Map<String, List<String>> byKey(List<TopicPartition> partitions) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", DevKafka.shared().bootstrapServers(),
                "auto.offset.reset", "earliest",
                "isolation.level", "read_committed");
        Map<String, List<String>> byKey = new HashMap<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            awaitMarkers();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
                consumer.poll(Duration.ofMillis(100))
                        .forEach(record -> byKey.computeIfAbsent(record.key(), any -> new ArrayList<>())
                                .add(record.value()));
            }
        }
        return byKey;
    }

    /** A transaction is committed before the partitions are told of it, and until then they seem to end before it. */
    public static void awaitMarkers() {
        ListTransactionsOptions ending = new ListTransactionsOptions()
                .filterStates(List.of(TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT));
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
            // Relays that a test has let die may still be falling.
            await().dontCatchUncaughtExceptions()
                    .pollDelay(Duration.ZERO)
                    .until(() -> admin.listTransactions(ending).all().get().isEmpty());
        }
    }
}
