package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.examples.Requirement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/** The topics, as three brokers have them. */
class ThreeBrokersTest extends CommerceApiTest {
    private static final Set<String> TOPICS =
            Set.of("like-events", "order-events", "payment-events", "product-view-events", "stock-events");

    @Test
    @Requirement("C13")
    void topicsAreAsConfiguredAndBrokersMakeNoOthers() throws Exception {
        try (Admin kafka = Admin.create(Map.of("bootstrap.servers", Servers.KAFKA.bootstrapServers()))) {
            for (String topic : TOPICS) {
                assertThat(descriptionOf(kafka, topic, "retention.ms"))
                        .containsExactly("3 partitions", "3 replicas", "min 2", "retention " + 7 * 86_400_000L);
                assertThat(descriptionOf(kafka, topic + ".dlq", "retention.ms"))
                        .containsExactly("1 partitions", "3 replicas", "min 2", "retention " + 30 * 86_400_000L);
            }
            assertThat(kafka.listTopics().names().get())
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(TOPICS.stream(), TOPICS.stream().map(topic -> topic + ".dlq"))
                                    .toList());
        }
    }

    private static List<String> descriptionOf(Admin kafka, String topic, String retention) throws Exception {
        TopicDescription description =
                kafka.describeTopics(Set.of(topic)).allTopicNames().get().get(topic);
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config = kafka.describeConfigs(Set.of(resource)).all().get().get(resource);
        return List.of(
                description.partitions().size() + " partitions",
                description.partitions().get(0).replicas().size() + " replicas",
                "min " + config.get("min.insync.replicas").value(),
                "retention " + config.get(retention).value());
    }
}
