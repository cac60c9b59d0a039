package dev.postrider.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Payload;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevConnect;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevServices;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debezium in the relay's place, on a real worker, configured by what {@code postrider debezium config} prints. */
@Tag(Torture.ALSO)
class DebeziumTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String CONNECTOR = "postrider-outbox";

    private static @Nullable DevConnect shared;

    private final long seed = Long.getLong("postrider.seed", System.nanoTime());

    @TempDir
    Path directory;

    @BeforeAll
    static void startWorker() {
        // With PostgreSQL, at the same time.
        shared = DevConnect.start(DevServices.shared().kafka());
    }

    @AfterAll
    static void stopWorker() {
        connect().close();
    }

    private static DevConnect connect() {
        if (shared == null) {
            throw new IllegalStateException("no worker");
        }
        return shared;
    }

    @Test
    void recordsAreThoseOfARelay() throws Exception {
        TestTopics debezium = new TestTopics("debezium");
        TestTopics stock = new TestTopics("stock");
        TestTopics relay = new TestTopics("relay");
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2))) {
            publish(database);
            try {
                // A name of its own: the worker keeps the offsets of a connector that is deleted.
                create(database, "records-outbox", debezium, "--name", "records-outbox", "--slot", "records_outbox");
                create(database, "stock-outbox", stock, "--stock", "--name", "stock-outbox", "--slot", "stock_outbox");
                write(database);
                List<Sent> expected = byRelay(database, relay);

                assertThat(sent(debezium, expected.size())).containsExactlyInAnyOrderElementsOf(expected);
                assertUndeliverable("records-outbox-undeliverable");
                assertStock(stock, expected);
            } finally {
                end(database, "records-outbox", "records_outbox");
                end(database, "stock-outbox", "stock_outbox");
            }
        }
    }

    /** What it can do beside a key of events' own, a source, binary payloads and headers one by one. */
    private static void assertStock(TestTopics topics, List<Sent> expected) {
        List<Sent> sent = sent(topics, expected.size());
        for (Sent event : expected) {
            Sent same = sent.stream()
                    .filter(one -> one.attributes()
                            .get("ce_id")
                            .equals(event.attributes().get("ce_id")))
                    .findFirst()
                    .orElseThrow();
            assertThat(same.topic()).isEqualTo(event.topic());
            assertThat(same.attributes()).doesNotContainKey("ce_specversion");
            for (String attribute : List.of("ce_type", "ce_aggregatetype", "ce_aggregateid", "content-type")) {
                assertThat(same.attributes())
                        .containsEntry(attribute, event.attributes().get(attribute));
            }
            if (event.attributes().get("content-type").equals(Payload.JSON)) {
                assertThat(same.value()).isEqualTo(event.value());
            }
        }
    }

    private static void assertUndeliverable(String topic) {
        TestTopics topics = new TestTopics("");
        ConsumerRecord<String, byte[]> record =
                topics.read(topic, new ByteArrayDeserializer(), 1).get(0);
        assertThat(record.key()).isEqualTo("o-9");
        assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"n\": 9}");
        assertThat(new String(record.headers().lastHeader("postrider-problem").value(), UTF_8))
                .startsWith("unroutable: ");
    }

    private void write(TestDatabase database) throws Exception {
        Outbox outbox = Outbox.builder().build();
        List<OutboxEvent.Builder> events = List.of(
                event("o-1").json("{\"n\": 1,   \"as\":\"wrïtten\"}"),
                event("o-2").json("{}").key("customer 7"),
                event("o-3").json("[1.50, 1e3]").source("/shop/ä b"),
                event("o-4").json("null").header("traceparent", "00-ab-cd-01"),
                event("o-5").json("5").occurredAt(Instant.parse("2026-11-15T10:00:00.120Z")),
                event("o-6")
                        .json("6")
                        .occurredAt(Instant.parse("2026-11-15T10:00:00Z"))
                        .requestId("once"),
                event("o-7").payload(Payload.bytes(new byte[] {0, 1, -1, 127}, "application/octet-stream")),
                OutboxEvent.builder("acme.order.odd.v1")
                        .aggregate("Order", "o-8")
                        .json("{\"n\": 8}"));
        try (Connection connection = database.transaction()) {
            for (OutboxEvent.Builder event : events) {
                outbox.write(connection, event.build());
            }
            connection.commit();
        }
        database.execute("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload) values
                    ('acme.payment.made.v1', 'Payment', 'p-1', '{"by": "SQL"}');
                insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers, occurred_at) values
                    ('acme.order.placed.v1', 'Order', 'o-1', '{"by":"SQL"}', '{"n": 1, "t": "x", "ce_mine": "no"}', 'infinity')
                """);
        // Becomes a dead letter of the relay, and goes to a topic of its own under Debezium.
        database.execute("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                    values ('unroutable', 'Order', 'o-9', '{"n": 9}')
                """);
    }

    private static OutboxEvent.Builder event(String id) {
        return OutboxEvent.builder("acme.order.placed.v1").aggregate("Order", id);
    }

    private static List<Sent> byRelay(TestDatabase database, TestTopics topics) {
        int events = Integer.parseInt(database.one("select count(*) from outbox where event_type <> 'unroutable'"));
        Relay relay = Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                .routing(topics.routing().route("order.odd", "special"))
                                .build())
                .settings(RelaySettings.builder()
                        .leaseLength(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .build())
                .build();
        relay.start();
        try {
            return sent(topics, events);
        } finally {
            relay.stop();
        }
    }

    /**
     * What a consumer can tell. The order of an event's own headers is nobody's.
     *
     * @param value as hexadecimal digits
     */
    private record Sent(String topic, int partition, String key, String value, Map<String, String> attributes) {
        static Sent of(ConsumerRecord<String, byte[]> record, String prefix) {
            Map<String, String> attributes = new TreeMap<>();
            for (Header header : record.headers()) {
                attributes.merge(
                        header.key(),
                        header.value() == null ? "" : new String(header.value(), UTF_8),
                        (one, other) -> one + ", " + other);
            }
            return new Sent(
                    record.topic().substring(prefix.length()),
                    record.partition(),
                    record.key(),
                    record.value() == null ? "" : HexFormat.of().formatHex(record.value()),
                    attributes);
        }
    }

    private static List<Sent> sent(TestTopics topics, int count) {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        records.addAll(topics.read("special", new ByteArrayDeserializer(), 1));
        records.addAll(topics.read("payment-events", new ByteArrayDeserializer(), 1));
        records.addAll(topics.read("order-events", new ByteArrayDeserializer(), count - 2));
        return records.stream().map(record -> Sent.of(record, topics.prefix())).toList();
    }

    @Test
    void nothingIsLostOrReorderedWhileTheWorkerIsKilled() throws Exception {
        System.out.println("seed: -Dpostrider.seed=" + seed);
        int transactions = Torture.isOn() ? 1_100 : 110;
        DeliveryProof proof = new DeliveryProof();
        TestTopics topics = new TestTopics("cdc");
        topics.create("transfer-events", 3);
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(4));
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", 3),
                        IsolationLevel.READ_UNCOMMITTED,
                        proof)) {
            publish(database);
            create(database, CONNECTOR, topics);
            consumer.start();
            try {
                List<CompletableFuture<Void>> writers = new RandomWriters(database, proof, seed).start(transactions);
                for (int kill = 1; kill <= 2; kill++) {
                    int share = kill * transactions * 6;
                    await().atMost(PATIENCE).until(() -> proof.receivedEvents() > share / 2);
                    connect().kill();
                    connect().restart();
                }
                writers.forEach(CompletableFuture::join);
                await().atMost(PATIENCE).until(() -> proof.missing() == 0);
                consumer.readToEnd();

                DeliveryProof.Verdict verdict = proof.verdict();
                System.out.println(verdict);
                assertThat(verdict.isKept()).as("seed " + seed + ": " + verdict).isTrue();
                assertThat(verdict.written()).isGreaterThan(transactions * 8L);
            } finally {
                end(database, CONNECTOR, "postrider_outbox");
            }
        }
    }

    /** Otherwise the server would keep all WAL since the last event. */
    @Test
    @Tag(Torture.ONLY)
    void quietOutboxInABusyDatabaseKeepsNoWal() throws Exception {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            publish(database);
            create(database, CONNECTOR, new TestTopics("quiet"));
            try {
                database.execute("create table busy as select generate_series(1, 100000) as n");
                String now = database.one("select pg_current_wal_lsn()");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(database.one("select confirmed_flush_lsn >= '" + now
                                        + "' from pg_replication_slots where slot_name = 'postrider_outbox'"))
                                .isEqualTo("t"));
            } finally {
                end(database, CONNECTOR, "postrider_outbox");
            }
        }
    }

    private static void publish(TestDatabase database) {
        database.execute("create publication postrider_outbox for table outbox with (publish = 'insert')");
    }

    private void create(TestDatabase database, String name, TestTopics topics, String... options) {
        Operator operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", database.user())
                .variable("POSTRIDER_DB_PASSWORD", database.password())
                .variable("POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix())
                .variable("POSTRIDER_KAFKA_ROUTES", "order.odd=special");
        List<String> command = new ArrayList<>(List.of("debezium", "config", "--with-password"));
        command.addAll(List.of(options));
        assertThat(operator.run(command.toArray(String[]::new)))
                .as(operator.err())
                .isZero();
        connect().create(name, operator.out());
    }

    /** The slot would keep WAL for everybody else's tests. */
    private static void end(TestDatabase database, String connector, String slot) {
        if (!connect().isRunning()) {
            connect().restart();
        }
        connect().delete(connector);
        await().atMost(PATIENCE)
                .until(() -> database.column(
                                "select 1 from pg_replication_slots where active and slot_name = '" + slot + "'")
                        .isEmpty());
        database.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '"
                + slot + "'");
    }
}
