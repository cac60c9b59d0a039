package dev.postrider.tests.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import io.cloudevents.CloudEvent;
import io.cloudevents.kafka.CloudEventDeserializer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands as users run them, most of them a process of its own. */
class CommandLineTest {
    @TempDir
    private Path directory;

    @Test
    void rowWrittenByPlainSqlReachesATopicAndIsReadAsACloudEvent() throws Exception {
        try (CommandProcess services = CommandProcess.start(directory, Map.of(), "devservices", "--json")) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> services.out().strip().endsWith("}"));
            JsonNode where = JsonMapper.shared().readTree(services.out());
            Map<String, String> environment = Map.of(
                    "POSTRIDER_DB_URL", where.get("jdbcUrl").stringValue(),
                    "POSTRIDER_DB_USER", where.get("user").stringValue(),
                    "POSTRIDER_DB_PASSWORD", where.get("password").stringValue(),
                    "POSTRIDER_KAFKA", where.get("bootstrapServers").stringValue());
            try (CommandProcess migrate = CommandProcess.start(directory, environment, "migrate")) {
                assertThat(migrate.await()).as(migrate.err()).isZero();
            }
            insert(
                    where,
                    "insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.shipment.sent.v1', 'shipment', '42', '{\"to\": \"Bern\"}')");

            try (CommandProcess relay = CommandProcess.start(directory, environment, "relay")) {
                ConsumerRecord<String, CloudEvent> record =
                        firstOf("shipment-events", where.get("bootstrapServers").stringValue());
                assertThat(record.key()).isEqualTo("42");
                assertThat(record.value().getType()).isEqualTo("acme.shipment.sent.v1");
                assertThat(record.value().getExtension("aggregatetype")).isEqualTo("shipment");
                assertThat(new String(record.value().getData().toBytes(), UTF_8))
                        .isEqualTo("{\"to\": \"Bern\"}");

                await().atMost(Duration.ofMinutes(1)).until(() -> "1".equals(published(environment)));
                assertThat(relay.terminate()).as(relay.err()).isZero();
            }

            List<ProcessHandle> servers = services.descendants();
            assertThat(servers).isNotEmpty();
            assertThat(services.terminate()).as(services.err()).isZero();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(servers).noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void wrongInputGetsOneLineAndAStatusAndChangesNothing() throws Exception {
        try (TestDatabase database = TestDatabase.empty()) {
            Map<String, String> environment = Map.of(
                    "POSTRIDER_DB_URL", database.jdbcUrl(),
                    "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                    "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                    "POSTRIDER_KAFKA", "localhost:1");

            // As processes those whose libraries might have something to say as well.
            assertComplains(environment, 1, "no outbox table outbox", "relay");
            assertComplains(environment, 1, "nowhere", "status", "--db-url", "jdbc:postgresql://nowhere.invalid/db");
            assertComplainsHere(environment, 1, "no outbox table outbox", "status");
            assertComplainsHere(environment, 2, "out\"box", "migrate", "--table", "out\"box");
            assertComplainsHere(environment, 2, "--no-such-option", "relay", "--no-such-option");
            assertThat(database.one("select count(*) from information_schema.tables where table_schema = 'public'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void relayWaitsForADatabaseThatIsNotThereYetAndEndsWhenItIsAsked() throws Exception {
        Map<String, String> environment =
                Map.of("POSTRIDER_DB_URL", "jdbc:postgresql://127.0.0.1:1/app", "POSTRIDER_KAFKA", "localhost:1");
        try (CommandProcess relay = CommandProcess.start(directory, environment, "relay", "--name", "early")) {
            await().until(() -> (relay.out() + relay.err()).contains("[early] waits for its database"));
            assertThat(relay.isAlive()).isTrue();
            assertThat(relay.terminate()).as(relay.err()).isZero();
        }
        try (TestDatabase database = TestDatabase.withOutbox()) {
            Map<String, String> wrong = Map.of(
                    "POSTRIDER_DB_URL",
                    database.jdbcUrl(),
                    "POSTRIDER_DB_USER",
                    "nobody",
                    "POSTRIDER_DB_PASSWORD",
                    "wrong",
                    "POSTRIDER_KAFKA",
                    "localhost:1");
            assertComplainsHere(wrong, 1, "nobody", "relay");
        }
    }

    private void assertComplainsHere(Map<String, String> environment, int status, String about, String... arguments) {
        Operator operator = new Operator(directory);
        environment.forEach(operator::variable);
        assertThat(operator.run(arguments)).as(String.join(" ", arguments)).isEqualTo(status);
        assertThat(operator.out()).isEmpty();
        assertThat(operator.err().strip().lines()).as(operator.err()).hasSize(1).allMatch(line -> line.contains(about));
    }

    private void assertComplains(Map<String, String> environment, int status, String about, String... arguments)
            throws Exception {
        try (CommandProcess command = CommandProcess.start(directory, environment, arguments)) {
            assertThat(command.await()).as(String.join(" ", arguments)).isEqualTo(status);
            assertThat(command.out()).isEmpty();
            assertThat(command.err().strip().lines())
                    .as(command.err())
                    .hasSize(1)
                    .allMatch(line -> line.contains(about));
        }
    }

    private String published(Map<String, String> environment) throws Exception {
        try (CommandProcess status = CommandProcess.start(directory, environment, "status", "--json")) {
            assertThat(status.await()).as(status.err()).isZero();
            return JsonMapper.shared()
                    .readTree(status.out())
                    .get("counts")
                    .get("PUBLISHED")
                    .asString();
        }
    }

    private static void insert(JsonNode where, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                where.get("jdbcUrl").stringValue(),
                where.get("user").stringValue(),
                where.get("password").stringValue())) {
            connection.createStatement().execute(sql);
        }
    }

    private static ConsumerRecord<String, CloudEvent> firstOf(String topic, String servers) {
        List<ConsumerRecord<String, CloudEvent>> records = new ArrayList<>();
        try (KafkaConsumer<String, CloudEvent> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers, "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new CloudEventDeserializer())) {
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(info.topic(), info.partition()))
                        .toList();
                if (partitions.isEmpty()) {
                    // The topic is made with the first event.
                    return false;
                }
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
                return !records.isEmpty();
            });
        }
        return records.get(0);
    }
}
