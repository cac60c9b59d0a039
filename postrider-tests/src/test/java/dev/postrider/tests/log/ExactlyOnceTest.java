package dev.postrider.tests.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.BatchReport;
import dev.postrider.DatabaseFamily;
import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Exactly once to a broker that takes less in the time of a transaction than a transaction may hold. */
class ExactlyOnceTest {
    private static final OutboxLayout LAYOUT = OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int BYTES_PER_SECOND = 100_000;
    private static final int BYTES_PER_EVENT = 10_000;

    /** More than the broker ever takes at once: it looks at the last eleven seconds. */
    private static final int EVENTS = 140;

    private final TestTopics topics = new TestTopics("slow");

    @Test
    void transactionThatDoesNotFitItsTimeoutIsMadeSmallerAndPublishedTellsOfCommittedEventsOnly() throws Exception {
        topics.create("order-events", 1);
        String client = "slow-" + UUID.randomUUID();
        limit(client + "-0");
        AtomicInteger published = new AtomicInteger();
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.order.paid.v1', 'order', 'key-' || n % 10,"
                    + " json_build_array(n, repeat('x', " + BYTES_PER_EVENT + "))"
                    + " from generate_series(1, " + EVENTS + ") n");
            KafkaPublisher kafka = KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                    .routing(topics.routing())
                    .property("linger.ms", "0")
                    .property("client.id", client)
                    .build();
            String outboxId = database.one("select value from outbox_settings where name = 'outbox_id'");
            try (AssembledRelay relay = new AssembledRelay(
                    new AssembledRelay.Parts(
                            Databases.of(DatabaseFamily.POSTGRESQL)
                                    .logStore(OutboxTable.DEFAULT, LAYOUT, ContentHash.sha256()),
                            database.dataSource(),
                            database.dataSource(),
                            TIMEOUT),
                    kafka.pipeline(outboxId, 0, 1, TIMEOUT),
                    RelaySettings.builder()
                            .name("relay")
                            .pollInterval(Duration.ofMillis(50))
                            .leaseLength(Duration.ofMinutes(1))
                            .build(),
                    new RelayListener() {
                        @Override
                        public void published(OutboxEvent event, Duration latency) {
                            published.incrementAndGet();
                        }
                    })) {
                relay.start();
                await().until(() -> published.get() >= 10);
            }
        }

        Map<String, List<String>> byKey = CommittedRecords.byKey(topics.partitions("order-events", 1));
        int committed = 0;
        for (int key = 0; key < 10; key++) {
            List<Integer> numbers = byKey.getOrDefault("key-" + key, List.of()).stream()
                    .map(ExactlyOnceTest::number)
                    .toList();
            committed += numbers.size();
            assertThat(numbers).isEqualTo(written(key).subList(0, numbers.size()));
        }
        // The outcome of a last commit may not be known when the relay is stopped.
        assertThat(published.get()).isLessThanOrEqualTo(committed);
    }

    /** The destination's position counts, and it is made of transactions. */
    @Test
    void idsThatBeginAnewDoubleNothing() {
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT);
                Relay relay = Relay.builder(
                                database.dataSource(),
                                KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                        .routing(topics.routing())
                                        .build())
                        .settings(RelaySettings.builder()
                                .pollInterval(Duration.ofMillis(50))
                                .leaseLength(Duration.ofMinutes(1))
                                .build())
                        .build()) {
            relay.start();
            write(database, 1, 40);
            await().atMost(Duration.ofMinutes(1)).until(() -> committed().size() >= 40);

            database.execute("delete from outbox; select setval('outbox_id_seq', 1)");
            write(database, 41, 60);
            await().atMost(Duration.ofMinutes(1)).until(() -> committed().size() >= 60);
            database.execute("truncate outbox restart identity");
            write(database, 61, 80);

            await().atMost(Duration.ofMinutes(1)).until(() -> committed().contains(80));
            assertThat(committed())
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, 80).boxed().toList());
        }
    }

    private static void write(TestDatabase database, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.paid.v1', 'order', 'one', json_build_array(n, '')"
                + " from generate_series(" + from + ", " + to + ") n");
    }

    private List<Integer> committed() {
        return CommittedRecords.byKey(topics.partitions("order-events", 1)).getOrDefault("one", List.of()).stream()
                .map(ExactlyOnceTest::number)
                .toList();
    }

    @Test
    void eventsOfRelaysThatWereKilledAreSentInFewTransactions() {
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.order.paid.v1', 'order', 'key-' || n % 10, json_build_array(n, '')"
                    + " from generate_series(1, 320) n");
            database.execute("insert into outbox_lease (name, owner, expires_at, takeovers)"
                    + " values ('shard/0', 'dead', clock_timestamp() - interval '1 second', 1)");
            int published = 0;
            try (Relay relay = Relay.builder(
                            database.dataSource(),
                            KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                    .routing(topics.routing())
                                    .property("linger.ms", "0")
                                    .build())
                    .settings(RelaySettings.builder()
                            .transactionSize(320)
                            .leaseLength(Duration.ofMinutes(1))
                            .build())
                    .build()) {
                while (published < 320) {
                    published += relay.runOnce().published();
                }
            }
            assertThat(Integer.parseInt(
                            database.one("select count(*) from outbox_cursor where batch > 0 and not fence")))
                    .as("a sixteenth at a time")
                    .isBetween(16, 20);
        }

        Map<String, List<String>> byKey = CommittedRecords.byKey(topics.partitions("order-events", 1));
        for (int key = 0; key < 10; key++) {
            int remainder = key;
            assertThat(byKey.get("key-" + key).stream()
                            .map(ExactlyOnceTest::number)
                            .toList())
                    .isEqualTo(IntStream.rangeClosed(1, 320)
                            .filter(number -> number % 10 == remainder)
                            .boxed()
                            .toList());
        }
    }

    /** Many of them would otherwise cost a transaction each, with whatever else is in it. */
    @Test
    void eventThatIsRefusedBeforeItIsSentUndoesNoTransaction() throws Exception {
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.order.paid.v1', 'order', 'key-' || n % 10,"
                    + " json_build_array(n, case n when 7 then repeat('x', 30000) else '' end)"
                    + " from generate_series(1, 20) n");
            try (Relay relay = Relay.builder(
                            database.dataSource(),
                            KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                    .routing(topics.routing())
                                    .property("linger.ms", "0")
                                    .property("max.request.size", "20000")
                                    .build())
                    .settings(RelaySettings.builder()
                            .leaseLength(Duration.ofMinutes(1))
                            .build())
                    .build()) {
                int published = 0;
                while (published < 19) {
                    BatchReport report = relay.runOnce();
                    published += report.published();
                    assertThat(report.dead() == 0 || report.published() > 0)
                            .as("%s", report)
                            .isTrue();
                }
            }
        }

        assertThat(CommittedRecords.byKey(topics.partitions("order-events", 1)).values().stream()
                        .mapToInt(List::size)
                        .sum())
                .isEqualTo(19);
    }

    @Test
    void acceptedEventsOfATransactionThatIsUndoneAreNotToldOfAsPublished() throws Exception {
        topics.create("order-events", 1);
        AtomicInteger published = new AtomicInteger();
        AtomicInteger dead = new AtomicInteger();
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.order.paid.v1', 'order', 'key-' || n % 10,"
                    + " json_build_array(n, case n when 20 then 'unserializable' else '' end)"
                    + " from generate_series(1, 20) n");
            try (Relay relay = Relay.builder(
                            database.dataSource(),
                            KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                    .routing(topics.routing())
                                    .property("linger.ms", "0")
                                    .property("value.serializer", Picky.class.getName())
                                    .build())
                    .settings(RelaySettings.builder()
                            .leaseLength(Duration.ofMinutes(1))
                            .build())
                    .listener(new RelayListener() {
                        @Override
                        public void published(OutboxEvent event, Duration latency) {
                            published.incrementAndGet();
                        }

                        @Override
                        public void dead(long id, String error) {
                            dead.incrementAndGet();
                        }
                    })
                    .build()) {
                relay.start();
                await().until(() -> dead.get() > 0 && published.get() >= 19);
            }
        }

        assertThat(CommittedRecords.byKey(topics.partitions("order-events", 1)).values().stream()
                        .mapToInt(List::size)
                        .sum())
                .isEqualTo(19);
        assertThat(published).as("published").hasValue(19);
        assertThat(dead).as("dead").hasValue(1);
    }

    /** So that an event is refused when others have been accepted. */
    public static final class Picky extends ByteArraySerializer {
        @Override
        public byte[] serialize(String topic, byte[] data) {
            if (new String(data, UTF_8).contains("unserializable")) {
                throw new SerializationException("not this one");
            }
            return super.serialize(topic, data);
        }
    }

    private static List<Integer> written(int key) {
        return IntStream.rangeClosed(1, EVENTS)
                .filter(number -> number % 10 == key)
                .boxed()
                .toList();
    }

    private static int number(String body) {
        return Integer.parseInt(body.substring(1, body.indexOf(',')).trim());
    }

    private static void limit(String client) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
            admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                            new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, client)),
                            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", (double) BYTES_PER_SECOND)))))
                    .all()
                    .get();
        }
    }
}
