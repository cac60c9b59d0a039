package dev.postrider.examples.transfer.demo;

import dev.postrider.devservices.DevKafka;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The topic of the transfers, as those see it who run Kafka. */
final class Topic {
    private static final String NAME = "transfers";
    private static final int PARTITIONS = 3;

    private final DevKafka kafka;

    Topic(DevKafka kafka) {
        this.kafka = kafka;
    }

    void create() throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(
                            new NewTopic(NAME, PARTITIONS, (short) 1), new NewTopic(NAME + ".dlq", 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    /** This group, of which nobody runs, will get everything again. */
    void rewind(String group) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> beginning = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            beginning.put(new TopicPartition(NAME, partition), new OffsetAndMetadata(0));
        }
        try (Admin admin = admin()) {
            admin.alterConsumerGroupOffsets(group, beginning).all().get();
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }
}
