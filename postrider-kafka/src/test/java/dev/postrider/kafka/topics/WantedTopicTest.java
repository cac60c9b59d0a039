package dev.postrider.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** What a topic may be wanted to be, and what is said when it cannot be had. */
class WantedTopicTest {

    @Test
    void deadLettersAreKeptLongerAndAsSafely() {
        WantedTopic events = WantedTopic.ofEvents("order-events").with("max.message.bytes", "5000");

        WantedTopic letters = events.deadLetters(".dlq");

        assertThat(events.partitions()).isEqualTo(3);
        assertThat(events.settings())
                .containsEntry("min.insync.replicas", "2")
                .containsEntry("retention.ms", "604800000");
        assertThat(letters.name()).isEqualTo("order-events.dlq");
        assertThat(letters.partitions()).isEqualTo(1);
        assertThat(letters.replicationFactor()).isEqualTo(3);
        assertThat(letters.settings())
                .containsEntry("min.insync.replicas", "2")
                .containsEntry("max.message.bytes", "5000")
                .containsEntry("retention.ms", "2592000000");
    }

    @Test
    void topicThatCannotWorkIsRefused() {
        WantedTopic topic = WantedTopic.ofEvents("order-events");

        assertThatThrownBy(() -> topic.withReplication(2, 3))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("at most the replication factor, 2");
        assertThatThrownBy(() -> topic.withPartitions(0)).hasMessageContaining("partitions");
        assertThatThrownBy(() -> WantedTopic.ofEvents("order events")).hasMessageContaining("[order events]");
    }

    @Test
    void whoMayNotIsToldWhichRightsItTakes() {
        assertThat(TopicProvisioning.explain(
                        "Topic order-events cannot be created", "order-events", new TopicAuthorizationException("No.")))
                .hasMessageStartingWith("Topic order-events cannot be created: ")
                .hasMessageContaining("This user may not do that: kafka-acls.sh")
                .hasMessageEndingWith("AlterConfigs --topic order-events.");
        assertThat(TopicProvisioning.explain("It failed", "t", new PolicyViolationException("Too many")))
                .hasMessage("It failed: Too many.");
    }
}
