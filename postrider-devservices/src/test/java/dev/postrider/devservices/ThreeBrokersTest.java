package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("torture")
class ThreeBrokersTest {

    @Test
    void clusterServesWithoutOneOfItsBrokersAndTakesItBack() throws Exception {
        try (DevKafka kafka = DevKafka.builder().brokers(3).start()) {
            assertThat(kafka.brokers()).isEqualTo(3);
            assertThat(kafka.bootstrapServers().split(",")).hasSize(3);
            Topic topic = Topic.create(kafka, "replicated", Map.of("min.insync.replicas", "2"));
            assertThat(partition(kafka).replicas()).hasSize(3);
            topic.send("with three");

            int leader = partition(kafka).leader().id();
            kafka.kill(leader);
            assertThat(kafka.isRunning(leader)).isFalse();
            topic.send("with two");

            kafka.start(leader);
            assertThat(kafka.isRunning(leader)).isTrue();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(partition(kafka).isr()).hasSize(3));
            topic.send("with three again");
            assertThat(topic.values()).containsExactly("with three", "with two", "with three again");

            kafka.stop();
            for (int broker : List.of(1, 2, 3)) {
                assertThat(kafka.isRunning(broker)).isFalse();
            }
        }
    }

    private static TopicPartitionInfo partition(DevKafka kafka) throws Exception {
        try (Admin admin = Topic.admin(kafka)) {
            return admin.describeTopics(List.of("replicated"))
                    .allTopicNames()
                    .get()
                    .get("replicated")
                    .partitions()
                    .get(0);
        }
    }
}
