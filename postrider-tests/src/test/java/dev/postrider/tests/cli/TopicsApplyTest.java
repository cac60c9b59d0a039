package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.tests.support.TestTopics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics made from settings, on a Kafka of one broker. */
class TopicsApplyTest {
    @TempDir
    private Path directory;

    private final TestTopics topics = new TestTopics("made");
    private final Admin admin =
            Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()));
    private Operator operator;

    @BeforeEach
    void begin() {
        operator = new Operator(directory)
                .variable("POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers())
                .variable("POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
    }

    @AfterEach
    void close() {
        admin.close();
    }

    @Test
    void missingTopicsAreShownThenCreatedThenAsWanted() throws Exception {
        Files.writeString(directory.resolve("postrider.yml"), """
                topics:
                  names: order-events, stock-events
                  replication-factor: 1
                  min-insync-replicas: 1
                  partitions-of: {stock-events: 5}
                  retention-of: {stock-events: 1d}
                  properties: {max.message.bytes: 50000}
                """);

        assertThat(operator.run("topics", "apply", "--dry-run"))
                .as(operator.err())
                .isZero();
        assertThat(operator.out())
                .contains(
                        topics.prefix() + "order-events ",
                        "3 partitions, 1 replica, max.message.bytes=50000, min.insync.replicas=1, retention.ms=604800000")
                .contains("Nothing was changed.");
        assertThat(existing()).isEmpty();

        assertThat(operator.run("topics", "apply")).as(operator.err()).isZero();
        assertThat(existing())
                .containsExactlyInAnyOrder("order-events", "order-events.dlq", "stock-events", "stock-events.dlq");
        assertThat(partitions("order-events")).isEqualTo(3);
        assertThat(partitions("stock-events")).isEqualTo(5);
        assertThat(partitions("stock-events.dlq")).isEqualTo(1);
        assertThat(setting("order-events", "retention.ms")).isEqualTo("604800000");
        assertThat(setting("stock-events", "retention.ms")).isEqualTo("86400000");
        assertThat(setting("stock-events.dlq", "retention.ms")).isEqualTo("2592000000");
        assertThat(setting("stock-events.dlq", "max.message.bytes")).isEqualTo("50000");

        assertThat(operator.run("topics", "apply", "--json")).isZero();
        assertThat(operator.json().path("asWanted").asBoolean()).isTrue();
        assertThat(operator.json().path("topics").size()).isEqualTo(4);
        assertThat(operator.json().path("topics").get(0).path("is").asString()).isEqualTo("as wanted");
    }

    @Test
    void partitionsAreAddedOnlyWhenAskedForAndNeverTakenAway() {
        topics.create("order-events", 2);
        topics.create("stock-events", 4);
        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events,stock-events")
                .variable("POSTRIDER_TOPICS_DEAD_LETTERS", "false")
                .variable("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1")
                .variable("POSTRIDER_TOPICS_MIN_INSYNC_REPLICAS", "1");

        assertThat(operator.run("topics", "apply")).isEqualTo(1);
        assertThat(operator.out())
                .contains("--add-partitions only", "may be read before", "Kafka cannot take partitions away");
        assertThat(partitions("order-events")).isEqualTo(2);

        assertThat(operator.run("topics", "apply", "--add-partitions", "--json"))
                .as("the other still has too many")
                .isEqualTo(1);
        assertThat(operator.json().path("topics").get(0).path("action").asString())
                .isEqualTo("add");
        assertThat(operator.json().path("topics").get(1).path("action").asString())
                .isEqualTo("leave");
        assertThat(partitions("order-events")).isEqualTo(3);
        assertThat(partitions("stock-events")).isEqualTo(4);

        operator.variable("POSTRIDER_TOPICS_PARTITIONS_OF", "stock-events=4");
        assertThat(operator.run("topics", "apply")).isZero();
        assertThat(operator.out()).contains("Everything is as wanted");
    }

    @Test
    void settingsAreChangedUpwardsAndDownwards() {
        topics.create("order-events", 3, "retention.ms", "1000000000");
        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events")
                .variable("POSTRIDER_TOPICS_DEAD_LETTERS", "false")
                .variable("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1")
                .variable("POSTRIDER_TOPICS_MIN_INSYNC_REPLICAS", "1");

        assertThat(operator.run("topics", "apply", "--dry-run")).isZero();
        assertThat(operator.out()).containsPattern("retention.ms +1000000000 +604800000 +changed");
        assertThat(setting("order-events", "retention.ms")).isEqualTo("1000000000");
        assertThat(operator.run("topics", "apply")).isZero();
        assertThat(setting("order-events", "retention.ms")).isEqualTo("604800000");

        operator.variable("POSTRIDER_TOPICS_RETENTION", "20d");
        assertThat(operator.run("topics", "apply")).isZero();
        assertThat(setting("order-events", "retention.ms")).isEqualTo("1728000000");
    }

    @Test
    void whatTheBrokersWouldRefuseIsSaidBeforeAnythingIsDone() {
        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events,stock-events");

        assertThat(operator.run("topics", "apply")).isEqualTo(1);
        assertThat(operator.err())
                .contains("order-events cannot be created", "fewer brokers than replicas wanted")
                .hasLineCount(1);

        operator.variable("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1")
                .variable("POSTRIDER_TOPICS_MIN_INSYNC_REPLICAS", "1")
                .variable("POSTRIDER_TOPICS_PROPERTIES", "cleanup.policy=burn");
        assertThat(operator.run("topics", "apply", "--dry-run")).isEqualTo(1);
        assertThat(operator.err()).contains("order-events cannot be created", "cleanup.policy");

        // Kafka does not take both stock.events and stock_events: only the last of what is wanted is refused.
        topics.create("stock.events", 1);
        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events,stock_events")
                .variable("POSTRIDER_TOPICS_PROPERTIES", "");
        assertThat(operator.run("topics", "apply")).isEqualTo(1);
        assertThat(operator.err()).contains("stock_events cannot be created");
        assertThat(existing()).containsExactly("stock.events");
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertThat(operator.run("topics", "apply")).isEqualTo(2);
        assertThat(operator.err()).contains("topics.names is empty");

        operator.variable("POSTRIDER_TOPICS_NAMES", "order-events")
                .variable("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1");
        assertThat(operator.run("topics", "apply")).isEqualTo(2);
        assertThat(operator.err()).contains("min.insync.replicas", "at most the replication factor, 1");

        operator.variable("POSTRIDER_TOPICS_RETENTION_OF", "oder-events=1d");
        assertThat(operator.run("topics", "apply")).isEqualTo(2);
        assertThat(operator.err()).contains("[oder-events]", "not among topics.names");
    }

    /** Without the prefix. */
    private List<String> existing() {
        try {
            return admin.listTopics().names().get().stream()
                    .filter(name -> name.startsWith(topics.prefix()))
                    .map(name -> name.substring(topics.prefix().length()))
                    .toList();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int partitions(String topic) {
        String name = topics.prefix() + topic;
        try {
            return admin.describeTopics(List.of(name))
                    .allTopicNames()
                    .get()
                    .get(name)
                    .partitions()
                    .size();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String setting(String topic, String setting) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topics.prefix() + topic);
        try {
            return admin.describeConfigs(List.of(resource))
                    .all()
                    .get()
                    .get(resource)
                    .get(setting)
                    .value();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
