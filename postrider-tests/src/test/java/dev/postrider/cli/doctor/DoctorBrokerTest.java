package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the doctor says about a Kafka of three brokers and the topics events go to. */
class DoctorBrokerTest {
    private static TestDatabase database;
    private static DevKafka kafka;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox();
        kafka = DevKafka.builder().brokers(3).start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
        database.close();
    }

    @BeforeEach
    void clear() {
        database.execute("truncate outbox");
    }

    @Test
    void healthySetUpHasNothingToComplainAbout() {
        topic("healthy-events", 3);
        publishedEvent("acme.healthy.paid.v1", "{}");

        Visit visit = visit().assertHealthy();

        assertThat(visit.of("broker.brokers"))
                .singleElement()
                .satisfies(said -> assertThat(said.finding()).contains("3 brokers"));
        assertThat(visit.only("broker.topics").finding()).contains("healthy-events");
        assertThat(visit.findings())
                .extracting(Visit.Said::check)
                .contains(
                        "broker.partitions",
                        "broker.replication",
                        "broker.transactions",
                        "broker.in-sync",
                        "broker.message-size");
    }

    @Test
    void replicationFactorOneIsNamed() {
        topic("single-events", 1, "min.insync.replicas", "1");
        publishedEvent("acme.single.paid.v1", "{}");

        Visit.Said said = visit().assertOnlyComplaint("broker.replication", "WARNING");

        assertThat(said.finding()).contains("single-events", "replication factor 1", "3 brokers", "one disk");
    }

    @Test
    void routesAndPrefixOfTheRelayDecideWhichTopicIsLookedAt() {
        topic("shop-paid", 1, "min.insync.replicas", "1");
        publishedEvent("acme.routed.paid.v1", "{}");

        Visit visit = visit("POSTRIDER_KAFKA_ROUTES", "routed.paid=paid", "POSTRIDER_KAFKA_TOPIC_PREFIX", "shop-");

        assertThat(visit.assertOnlyComplaint("broker.replication", "WARNING").finding())
                .contains("shop-paid");
    }

    @Test
    void missingTopicThatWillBeCreatedIsInformation() {
        publishedEvent("acme.unheard.paid.v1", "{}");

        Visit.Said said = visit().assertHealthy().only("broker.topics");

        assertThat(said.severity()).isEqualTo("INFO");
        assertThat(said.finding()).contains("unheard-events does not exist", "replication factor 3");
        assertThat(said.fix()).contains("kafka-topics.sh", "--topic unheard-events");
    }

    @Test
    void typeThatLeadsToNoTopicIsAnError() {
        publishedEvent("paid", "{}");

        assertThat(visit().assertOnlyComplaint("broker.topics", "ERROR").finding())
                .contains("[paid]");
    }

    @Test
    void payloadLargerThanTheTopicTakesIsAnError() {
        topic("small-events", 3, "max.message.bytes", "2000");
        publishedEvent("acme.small.paid.v1", "{\"text\": \"" + "x".repeat(3000) + "\"}");

        Visit.Said said = visit().assertOnlyComplaint("broker.message-size", "ERROR");

        assertThat(said.finding()).contains("small-events", "2.9 KB", "max.message.bytes is 2.0 KB");
    }

    @Test
    void unreachableBrokerIsAFindingAndNotAWait() {
        long begin = System.nanoTime();

        Visit visit = visit("POSTRIDER_KAFKA", "127.0.0.1:1");

        assertThat(visit.assertOnlyComplaint("broker.connection", "ERROR").finding())
                .contains("127.0.0.1:1");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void nameThatDoesNotResolveIsAFinding() {
        Visit visit = visit("POSTRIDER_KAFKA", "no.such.host.invalid:9092");

        assertThat(visit.assertOnlyComplaint("broker.connection", "ERROR").finding())
                .contains("no.such.host.invalid");
    }

    private static Visit visit(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                "POSTRIDER_KAFKA", kafka.bootstrapServers()));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return Visit.of(Limits.STANDARD, environment);
    }

    private static void topic(String name, int replicas, String... settings) {
        NewTopic topic = new NewTopic(name, 3, (short) replicas);
        if (settings.length > 0) {
            topic.configs(Map.of(settings[0], settings[1]));
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void publishedEvent(String type, String payload) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status)" + " values ('"
                + type + "', 'order', '1', '" + payload + "', 'PUBLISHED')");
    }
}
