package dev.postrider.cli.doctor.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Severity;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The judgements, without a broker. */
class BrokerChecksTest {
    private static final long REQUEST = 1_048_576;

    @ParameterizedTest
    @CsvSource({
        "3, 2, OK",
        "2, 1, OK",
        "1, 1, OK",
        "3, 1, WARNING",
        "3, 3, WARNING",
        "2, 2, WARNING",
        "1, 2, ERROR",
        "2, 3, ERROR",
    })
    void minInSyncIsJudgedByTheReplicationFactor(int replicas, int minimum, Severity severity) throws Exception {
        Topic topic = topic(replicas, replicas, Map.of("min.insync.replicas", String.valueOf(minimum)));

        assertThat(only("in-sync", cluster(3, topic)).severity()).isEqualTo(severity);
    }

    @Test
    void fixOfMinInSyncLeavesOneBrokerToSpare() throws Exception {
        Topic topic = topic(3, 3, Map.of("min.insync.replicas", "3"));

        assertThat(only("in-sync", cluster(3, topic)).fix())
                .isEqualTo("kafka-configs.sh --bootstrap-server a:1 --alter --entity-type topics"
                        + " --entity-name order-events --add-config min.insync.replicas=2");
    }

    @Test
    void oneReplicaIsAWarningOnOneBrokerAndOnMany() throws Exception {
        Topic topic = topic(1, 1, Map.of());

        assertThat(only("replication", cluster(1, topic)))
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.text()).contains("one disk"));
        assertThat(only("replication", cluster(3, topic)))
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.text()).contains("3 brokers"));
    }

    @Test
    void replicaThatIsNotInSyncIsAnError() throws Exception {
        Finding finding = only("partitions", cluster(3, topic(3, 2, Map.of())));

        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
        assertThat(finding.text()).contains("partitions 0, 1 of order-events", "in sync");
    }

    @Test
    void partitionWithoutALeaderIsAnError() throws Exception {
        Finding finding = only("partitions", cluster(3, topic(3, 0, Map.of())));

        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
        assertThat(finding.text()).contains("No broker leads partitions 0, 1 of order-events");
    }

    @ParameterizedTest
    @CsvSource({
        "1000,    1048588, OK",
        "1048500, 1048588, ERROR",
        "3000,    2000,    ERROR",
        "500,     2000,    INFO",
    })
    void largestPayloadMustFitThroughProducerAndTopic(long payload, String topicLimit, Severity severity)
            throws Exception {
        Cluster cluster = cluster(3, topic(3, 3, Map.of("max.message.bytes", topicLimit)));
        EventTopics destinations = new EventTopics(Map.of("order-events", payload), List.of());

        assertThat(findings("message-size", cluster, destinations))
                .extracting(Finding::severity)
                .containsExactly(severity);
    }

    @Test
    void compactedTopicIsInformation() throws Exception {
        Topic topic = topic(3, 3, Map.of("cleanup.policy", "compact,delete"));

        assertThat(only("cleanup", cluster(3, topic)).severity()).isEqualTo(Severity.INFO);
    }

    @Test
    void missingTopicIsAnErrorIfNobodyCreatesIt() throws Exception {
        Cluster cluster = new Cluster(
                "a:1",
                nodes(3),
                Map.of("auto.create.topics.enable", "false"),
                List.of(),
                List.of("order-events"),
                List.of());

        assertThat(only("topics", cluster)).returns(Severity.ERROR, Finding::severity);
        assertThat(only("topics", cluster).fix()).endsWith("--replication-factor 3");
    }

    @Test
    void missingTopicThatWouldGetOneReplicaIsAWarning() throws Exception {
        Cluster cluster = new Cluster(
                "a:1",
                nodes(1),
                Map.of("auto.create.topics.enable", "true", "default.replication.factor", "1"),
                List.of(),
                List.of("order-events"),
                List.of());

        assertThat(only("topics", cluster)).returns(Severity.WARNING, Finding::severity);
    }

    @Test
    void settingsWeMayNotSeeAreNotJudged() throws Exception {
        Cluster cluster = cluster(3, topic(3, 3, Map.of()));

        assertThat(findings("in-sync", cluster, EventTopics.none())).isEmpty();
        assertThat(only("topics", cluster))
                .returns(Severity.INFO, Finding::severity)
                .satisfies(finding -> assertThat(finding.text()).contains("order-events"));
    }

    @Test
    void topicWeMayNotSeeIsAnError() throws Exception {
        Cluster cluster = new Cluster("a:1", nodes(3), Map.of(), List.of(), List.of(), List.of("order-events"));

        assertThat(only("topics", cluster)).returns(Severity.ERROR, Finding::severity);
    }

    private static Finding only(String check, Cluster cluster) throws SQLException, InterruptedException {
        List<Finding> findings = findings(check, cluster, new EventTopics(Map.of("order-events", 10L), List.of()));
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    private static List<Finding> findings(String check, Cluster cluster, EventTopics destinations)
            throws SQLException, InterruptedException {
        Map<String, Check> checks = BrokerChecks.of(cluster, destinations, REQUEST);
        assertThat(checks).containsKey(check);
        return checks.get(check).examine();
    }

    private static Cluster cluster(int brokers, Topic topic) {
        return new Cluster("a:1", nodes(brokers), Map.of(), List.of(topic), List.of(), List.of());
    }

    /** Two partitions; without replicas in sync they have no leader. */
    private static Topic topic(int replicas, int inSync, Map<String, String> settings) {
        List<Node> nodes = nodes(replicas);
        List<TopicPartitionInfo> partitions = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            Node leader = inSync == 0 ? null : nodes.get(0);
            partitions.add(new TopicPartitionInfo(number, leader, nodes, nodes.subList(0, inSync)));
        }
        return new Topic(new TopicDescription("order-events", false, partitions), settings);
    }

    private static List<Node> nodes(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(id -> new Node(id, "a", id))
                .toList();
    }
}
