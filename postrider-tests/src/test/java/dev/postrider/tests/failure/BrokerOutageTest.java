package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Brokers that go away and come back, with timeouts short enough for a test. */
@Tag(Torture.ALSO)
class BrokerOutageTest {
    private static final String TOPIC = "transfer-events";
    private static final int KEYS = 20;
    private static final int TRIAL_CALLS = 3;

    /** Of three brokers, for the tests that need them; started by the first. */
    private static DevKafka three;

    private final List<String> circuit = new CopyOnWriteArrayList<>();
    private final List<OutboxEvent> published = new CopyOnWriteArrayList<>();
    private final AtomicInteger counted = new AtomicInteger();

    /** All of them running, whatever the test before left. */
    private static DevKafka threeBrokers() {
        if (three == null) {
            three = DevKafka.builder().brokers(3).start();
        }
        for (int broker = 1; broker <= 3; broker++) {
            three.start(broker);
        }
        return three;
    }

    @AfterAll
    static void close() {
        if (three != null) {
            three.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.postrider.tests.support.Torture#servers")
    void outageCostsNoEventAnythingAndEverythingArrivesAfterwards(TestServer server) throws Exception {
        try (DevKafka kafka = DevKafka.start();
                TestDatabase database = TestDatabase.withOutbox(server)) {
            createTopic(kafka, TOPIC, Map.of(0, List.of(1), 1, List.of(1), 2, List.of(1)));
            Relay relay = startRelay(kafka, database);
            AtomicBoolean writing = new AtomicBoolean(true);
            AtomicInteger written = new AtomicInteger();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (writing.get()) {
                    insert(database, "account-" + written.get() % 20);
                    written.incrementAndGet();
                }
            });
            try {
                await().atMost(Duration.ofMinutes(1)).until(() -> published.size() >= 100);
                kafka.stop();
                // A circuit that opened while everything was being started says nothing of this outage.
                circuit.clear();
                await().atMost(Duration.ofMinutes(1)).until(() -> circuit.contains("open"));
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> database.column("select 1 from outbox where status = 'SENDING'")
                                .isEmpty());
                int whenOpen = published.size();
                int known = circuit.size();
                long trials = trials();
                String touched = claims(database);
                await().atMost(Duration.ofMinutes(1)).until(() -> hasTriedInVainSince(known));
                long claimed = Long.parseLong(claims(database)) - Long.parseLong(touched);
                assertThat(published).as("nothing gets through").hasSize(whenOpen);
                assertThat(circuit).as("what the circuit was").doesNotContain("closed");
                // One more, which may have been told of before it claimed anything.
                assertThat(claimed)
                        .as("claims while the circuit was %s: only those of its trials", circuit)
                        .isBetween(1L, TRIAL_CALLS * (trials() - trials + 1));
                kafka.restart();
                writing.set(false);
                writer.join();
                await().atMost(Duration.ofMinutes(2)).until(() -> unsent(database) == 0);
            } finally {
                writing.set(false);
                relay.stop();
            }

            assertThat(circuit).endsWith("closed");
            assertThat(database.one("select count(*) from outbox where status = 'PUBLISHED'"))
                    .isEqualTo(Integer.toString(written.get()));
            assertThat(database.one("select max(attempts) from outbox")).isEqualTo("0");
        }
    }

    @Test
    @Tag(Torture.ONLY)
    void partitionWithoutLeaderHoldsBackOnlyItsOwnKeys() throws Exception {
        DevKafka kafka = threeBrokers();
        try (TestDatabase database = TestDatabase.withOutbox()) {
            Map<Integer, List<Integer>> replicas = new HashMap<>();
            replicas.put(0, List.of(3));
            for (int partition = 1; partition < 12; partition++) {
                replicas.put(partition, List.of(1 + partition % 2));
            }
            createTopic(kafka, TOPIC, replicas);
            Relay relay = startRelay(kafka, database);
            try {
                insert(database, "warm-up");
                await().atMost(Duration.ofMinutes(1)).until(() -> published.size() == 1);
                kafka.kill(3);

                int stuck = 0;
                for (int n = 0; n < 600; n++) {
                    String key = "account-" + n % 60;
                    stuck += partitionOf(key, 12) == 0 ? 1 : 0;
                    insert(database, key);
                }
                assertThat(stuck).isPositive();
                int flowing = 601 - stuck;
                await().atMost(Duration.ofMinutes(2)).until(() -> published.size() == flowing);
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> !database.column("select 1 from outbox where status = 'BLOCKED'")
                                .isEmpty());
                for (int n = 0; n < 60; n++) {
                    insert(database, "account-" + n);
                }
                int more = 60 - stuck / 10;
                await().atMost(Duration.ofMinutes(2)).until(() -> published.size() == flowing + more);

                kafka.start(3);
                await().atMost(Duration.ofMinutes(2)).until(() -> unsent(database) == 0);
            } finally {
                relay.stop();
            }

            assertThat(database.one("select max(attempts) from outbox")).isEqualTo("0");
            assertThat(database.one("select count(*) from outbox_dead_letter")).isEqualTo("0");
        }
    }

    /** C13's topic: three replicas, of which two must have an event. */
    @Test
    @Tag(Torture.ONLY)
    void oneBrokerOfThreeIsNotMissedAndWithoutTwoNothingIsWrittenAndNothingLost(@TempDir Path directory)
            throws Exception {
        DevKafka kafka = threeBrokers();
        applyTopics(kafka, directory, "order-events");
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(4))) {
            Relay relay = startRelay(kafka, database);
            AtomicBoolean writing = new AtomicBoolean(true);
            AtomicInteger written = new AtomicInteger();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (writing.get()) {
                    int number = written.get();
                    database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.order.paid.v1', 'order', 'key-" + number % KEYS + "', '" + number + "')");
                    written.incrementAndGet();
                    // Fast enough to be in the way of everything, slow enough to be read again in a moment.
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                }
            });
            try {
                await().atMost(Duration.ofMinutes(1)).until(() -> published.size() >= 100);
                kafka.kill(1);
                int atFirst = written.get();
                await().atMost(Duration.ofMinutes(1)).until(() -> publishedAllUpTo(atFirst + 100));

                circuit.clear();
                kafka.kill(2);
                await().atMost(Duration.ofMinutes(1)).until(() -> circuit.contains("open"));
                int whenOpen = published.size();
                int atSecond = written.get();
                await().atMost(Duration.ofMinutes(1)).until(() -> circuit.contains("half-open"));
                writing.set(false);
                writer.join();
                assertThat(published).as("two brokers down").hasSize(whenOpen);
                assertThat(written).hasValueGreaterThan(atSecond);

                kafka.start(1);
                kafka.start(2);
                await().atMost(Duration.ofMinutes(2)).until(() -> publishedAllUpTo(written.get()));
            } finally {
                writing.set(false);
                relay.stop();
            }

            assertThat(counted).as("retries counted").hasValue(0);
            assertThat(database.one("select (select count(*) from outbox_parked) + (select count(*) from"
                            + " outbox_dead_letter)"))
                    .isEqualTo("0");
            List<Integer> arrived = firstArrivals(kafka, "order-events");
            assertThat(arrived).hasSize(written.get());
            for (int key = 0; key < KEYS; key++) {
                int one = key;
                assertThat(arrived.stream().filter(body -> body % KEYS == one))
                        .as("key-" + key)
                        .isSorted();
            }
        }
    }

    /**
     * A broker gives each new producer an id, from a supply that it gets from the controllers. When both are missing,
     * Kafka's producer asks without end, and forgets its delivery timeout over it.
     */
    @Tag(Torture.ONLY)
    @Test
    void clusterThatTakesInNoProducerIsAnOutage() throws Exception {
        DevKafka kafka = threeBrokers();
        createTopic(kafka, "stock-taking-events", Map.of(0, List.of(3)));
        kafka.kill(3);
        kafka.start(3);
        kafka.kill(1);
        kafka.kill(2);
        try (TestDatabase database = TestDatabase.withOutbox()) {
            // Refused by the producer itself: that is no sign of life from a broker.
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values"
                    + " ('acme.stock-taking.done.v1', 'account', 'large', to_json(repeat('x', 1100000)))");
            for (int n = 0; n < 20; n++) {
                insert(database, "acme.stock-taking.done.v1", "shelf-" + n);
            }
            Relay relay = startRelay(kafka, database);
            try {
                await().atMost(Duration.ofMinutes(1)).until(() -> circuit.contains("open"));
                assertThat(published).isEmpty();
                kafka.start(1);
                await().atMost(Duration.ofMinutes(2))
                        .untilAsserted(() -> assertThat(
                                        database.column("select distinct attempts || status from outbox order by 1"))
                                .containsExactly("0PUBLISHED", "1DEAD_LETTER"));
            } finally {
                relay.stop();
            }
        }
    }

    @Test
    @Tag(Torture.ONLY)
    void topicsAreMadeWithThreeReplicas(@TempDir Path directory) throws Exception {
        DevKafka kafka = threeBrokers();
        Operator operator = applyTopics(kafka, directory, "like-events,stock-events");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            // Each broker hears of new topics in its own time.
            await().ignoreException(ExecutionException.class).untilAsserted(() -> {
                Map<String, TopicDescription> made = admin.describeTopics(
                                List.of("like-events", "like-events.dlq", "stock-events", "stock-events.dlq"))
                        .allTopicNames()
                        .get();
                assertThat(made.values())
                        .allSatisfy(topic -> assertThat(topic.partitions())
                                .hasSize(topic.name().endsWith(".dlq") ? 1 : 3)
                                .allSatisfy(partition ->
                                        assertThat(partition.replicas()).hasSize(3)));
            });
        }
        assertThat(operator.run("topics", "apply")).as("again").isZero();
        assertThat(operator.out()).contains("Everything is as wanted");
    }

    private static Operator applyTopics(DevKafka kafka, Path directory, String names) {
        Operator operator = new Operator(directory)
                .variable("POSTRIDER_KAFKA", kafka.bootstrapServers())
                .variable("POSTRIDER_TOPICS_NAMES", names);
        assertThat(operator.run("topics", "apply")).as(operator.err()).isZero();
        return operator;
    }

    private long trials() {
        return circuit.stream().filter("half-open"::equals).count();
    }

    private boolean hasTriedInVainSince(int known) {
        List<String> since = circuit.subList(known, circuit.size());
        return since.contains("half-open") && since.lastIndexOf("open") > since.indexOf("half-open");
    }

    private boolean publishedAllUpTo(int count) {
        return published.stream()
                        .map(event -> event.payload().text())
                        .distinct()
                        .count()
                >= count;
    }

    /** The bodies in a topic, by partition and offset, each where it came first. */
    private static List<Integer> firstArrivals(DevKafka kafka, String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<Integer> bodies = new ArrayList<>();
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> bodies.add(Integer.valueOf(record.value())));
            }
            return bodies.stream().distinct().toList();
        }
    }

    private Relay startRelay(DevKafka kafka, TestDatabase database) {
        Relay relay = Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(kafka.bootstrapServers())
                                .property("delivery.timeout.ms", "2000")
                                .property("request.timeout.ms", "1000")
                                .property("max.block.ms", "1000")
                                .property("retry.backoff.ms", "100")
                                .property("linger.ms", "0")
                                .build())
                .settings(RelaySettings.builder()
                        .batchSize(100)
                        .pollInterval(Duration.ofMillis(50))
                        .retry(new Backoff(Duration.ofMillis(200), 1, Duration.ofMillis(200), 0, 2))
                        .circuit(new CircuitSettings(10, 5, 50, Duration.ofSeconds(1), TRIAL_CALLS))
                        .build())
                .listener(new RelayListener() {
                    @Override
                    public void published(OutboxEvent event, Duration latency) {
                        published.add(event);
                    }

                    @Override
                    public void failed(OutboxEvent event, String error, boolean isCounted) {
                        if (isCounted) {
                            counted.incrementAndGet();
                        }
                    }

                    @Override
                    public void circuitChanged(String state) {
                        circuit.add(state);
                    }
                })
                .build();
        relay.start();
        return relay;
    }

    private static void createTopic(DevKafka kafka, String name, Map<Integer, List<Integer>> replicas)
            throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            NewTopic topic = new NewTopic(name, replicas).configs(Map.of("min.insync.replicas", "1"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    private static int partitionOf(String key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(java.nio.charset.StandardCharsets.UTF_8))) % partitions;
    }

    private static void insert(TestDatabase database, String key) {
        insert(database, "acme.transfer.completed.v1", key);
    }

    private static void insert(TestDatabase database, String type, String key) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)" + " values ('" + type
                + "', 'account', '" + key + "', '{}')");
    }

    private static String claims(TestDatabase database) {
        return database.one("select coalesce(sum(claims), 0) from outbox");
    }

    private static int unsent(TestDatabase database) {
        return Integer.parseInt(database.one("select count(*) from outbox where status <> 'PUBLISHED'"));
    }
}
