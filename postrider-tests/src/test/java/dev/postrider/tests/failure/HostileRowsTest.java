package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.HostileRows;
import dev.postrider.tests.support.StrictInfinity;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import io.cloudevents.CloudEvent;
import io.cloudevents.kafka.CloudEventDeserializer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows with any value that a column accepts, among healthy ones: nothing stops, and nothing is silent. */
@Tag(Torture.ALSO)
class HostileRowsTest {
    private static final long SEED = Long.getLong("postrider.seed", 7);
    private static final int HOSTILE = 300;
    private static final int KEYS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private Relay relay;
    private int healthy;

    enum Kind {
        CLAIM_ON_POSTGRES(TestServer.POSTGRES, OutboxLayout.claim()),
        CLAIM_ON_MARIADB(TestServer.MARIADB, OutboxLayout.claim()),
        LOG(TestServer.POSTGRES, OutboxLayout.log(2));

        final TestServer server;
        final OutboxLayout layout;

        Kind(TestServer server, OutboxLayout layout) {
            this.server = server;
            this.layout = layout;
        }
    }

    @AfterEach
    void close() {
        if (relay != null) {
            relay.stop();
        }
        if (database != null) {
            database.close();
        }
    }

    /** Every build has the log with exactly once. */
    static Stream<Kind> kinds() {
        return Stream.of(Kind.values()).filter(kind -> Torture.isOn() || kind != Kind.LOG);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void healthyEventsArriveInOrderAndEveryHostileRowIsAccountedFor(Kind kind) throws SQLException {
        open(kind.server, kind.layout);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        start(publisher);

        await().atMost(PATIENCE).until(() -> healthyOf(publisher.accepted()).size() == healthy);
        assertInOrder(healthyOf(publisher.accepted()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(unaccounted(kind.layout, delivered(publisher)))
                        .isEmpty());
    }

    @Test
    void withExactlyOnceEveryMessageIsACloudEventAndEveryHostileRowIsAccountedFor() throws SQLException {
        OutboxLayout layout = OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE);
        TestTopics topics = new TestTopics("hostile");
        topics.create("hostile-events", 2);
        topics.create("healthy-events", 2);
        List<TopicPartition> partitions = new ArrayList<>(topics.partitions("hostile-events", 2));
        partitions.addAll(topics.partitions("healthy-events", 2));
        open(TestServer.POSTGRES, layout);
        start(KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .build());

        await().atMost(PATIENCE).untilAsserted(() -> {
            List<CloudEvent> events = committed(partitions);
            assertThat(unaccounted(
                            layout, events.stream().map(CloudEvent::getId).collect(Collectors.toSet())))
                    .isEmpty();
        });
        List<CloudEvent> events = committed(partitions);
        assertThat(events.stream().filter(event -> event.getType().equals("acme.healthy.v1")))
                .hasSize(healthy);
    }

    private void open(TestServer server, OutboxLayout layout) throws SQLException {
        System.out.println("postrider.seed = " + SEED);
        database = TestDatabase.empty(server);
        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, layout);
        if (server == TestServer.POSTGRES) {
            StrictInfinity.install(database);
        }
        HostileRows hostile = new HostileRows(server, SEED);
        List<String> rows = new ArrayList<>();
        hostile.values().forEach((column, values) -> values.forEach(value -> rows.add(hostile.with(column, value))));
        while (rows.size() < HOSTILE) {
            rows.add(hostile.next());
        }
        int refused = 0;
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            if (server == TestServer.MARIADB) {
                statement.execute("set session sql_mode = 'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES,PIPES_AS_CONCAT'");
            }
            for (String row : rows) {
                try {
                    statement.execute(row);
                } catch (SQLException e) {
                    // Its writer is told.
                    refused++;
                }
                statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " values ('acme.healthy.v1', 'healthy', 'healthy-" + healthy % KEYS + "', '" + healthy
                        + "')");
                healthy++;
            }
        }
        assertThat(refused).as("rows that were refused to their writers").isLessThan(HOSTILE / 10);
    }

    private void start(Publisher publisher) {
        relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(20))
                        .retry(new Backoff(Duration.ofMillis(20), 1, Duration.ofMillis(20), 0, 2))
                        .leaseLength(Duration.ofSeconds(30))
                        .deadLetters(new DeadLetterSettings(
                                DeadLetterSettings.Then.CONTINUE, directory.resolve("dead.jsonl")))
                        .build())
                .build();
        relay.start();
    }

    private static List<OutboxEvent> healthyOf(List<OutboxEvent> events) {
        return events.stream()
                .filter(event -> event.type().equals("acme.healthy.v1"))
                .toList();
    }

    private static void assertInOrder(List<OutboxEvent> events) {
        Map<String, List<Integer>> byKey = new LinkedHashMap<>();
        events.forEach(event -> byKey.computeIfAbsent(event.aggregateId(), any -> new ArrayList<>())
                .add(Integer.valueOf(event.payload().text())));
        assertThat(byKey)
                .hasSize(KEYS)
                .allSatisfy((key, numbers) ->
                        assertThat(numbers).doesNotHaveDuplicates().isSorted());
    }

    private static Set<String> delivered(RecordingPublisher publisher) {
        return publisher.accepted().stream().map(event -> event.id().toString()).collect(Collectors.toSet());
    }

    /** Rows that are neither delivered nor dead nor parked nor scheduled. */
    private List<String> unaccounted(OutboxLayout layout, Set<String> delivered) {
        String now = database.server() == TestServer.POSTGRES ? "clock_timestamp()" : "utc_timestamp(6)";
        Set<String> known = new HashSet<>(delivered);
        known.addAll(database.column("select event_id from outbox_dead_letter"));
        known.addAll(database.column("select event_id from outbox where next_attempt_at > " + now));
        if (layout.mode() == OutboxLayout.claim().mode()) {
            known.addAll(database.column("select event_id from outbox where status in ('DEAD_LETTER')"));
            return database.column("select event_id from outbox where status <> 'PUBLISHED'").stream()
                    .filter(id -> !known.contains(id))
                    .toList();
        }
        known.addAll(database.column(
                "select o.event_id from outbox o join outbox_parked f on f.outbox_id = o.id where f.state = 'DEAD'"));
        return database.column("select event_id from outbox").stream()
                .filter(id -> !known.contains(id))
                .toList();
    }

    /** As the SDK of CloudEvents reads them, which fails for what is none. */
    private static List<CloudEvent> committed(List<TopicPartition> partitions) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", DevKafka.shared().bootstrapServers(),
                "auto.offset.reset", "earliest",
                "isolation.level", "read_committed");
        List<CloudEvent> events = new ArrayList<>();
        try (KafkaConsumer<String, CloudEvent> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new CloudEventDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            CommittedRecords.awaitMarkers();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one))) {
                for (ConsumerRecord<String, CloudEvent> record : consumer.poll(Duration.ofMillis(100))) {
                    events.add(record.value());
                }
            }
        }
        return events;
    }
}
