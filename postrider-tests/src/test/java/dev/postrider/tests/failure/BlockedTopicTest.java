package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Topics that take nothing: missing, on brokers that make none by themselves, or forbidden. How many keys wait for them is set
 * by {@code postrider.blocked.keys}, and how many events there are behind them by {@code postrider.blocked.good}; in the profile
 * {@code torture} they are 100 000 and 10 000.
 */
@Tag(Torture.ALSO)
class BlockedTopicTest {
    private static final int KEYS = Integer.getInteger("postrider.blocked.keys", Torture.isOn() ? 100_000 : 1_000);
    private static final int GOOD = Integer.getInteger("postrider.blocked.good", Torture.isOn() ? 10_000 : 200);
    private static final Duration PATIENCE = Duration.ofMinutes(KEYS > 10_000 ? 9 : 2);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static DevKafka kafka;
    private static Admin admin;

    private final String prefix = "t" + NUMBER.incrementAndGet() + "-";
    private final Queue<OutboxEvent> published = new ConcurrentLinkedQueue<>();
    private final Set<String> keysPublished = ConcurrentHashMap.newKeySet();
    private final AtomicInteger goodPublished = new AtomicInteger();
    private final AtomicInteger counted = new AtomicInteger();
    private volatile Map<String, String> blocked = Map.of();

    @BeforeAll
    static void start() {
        kafka = DevKafka.builder()
                .setting("auto.create.topics.enable", "false")
                .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .setting("allow.everyone.if.no.acl.found", "true")
                .start();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterAll
    static void close() {
        admin.close();
        kafka.close();
    }

    enum Kind {
        LOG,
        CLAIM,
        MARIADB,
        EXACTLY_ONCE;

        TestDatabase database() {
            return switch (this) {
                case LOG -> TestDatabase.withOutbox(OutboxLayout.log(4));
                case CLAIM -> TestDatabase.withOutbox();
                case MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
                case EXACTLY_ONCE -> TestDatabase.withOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
            };
        }
    }

    /** Claims, and a log with transactions; a log without them and MariaDB in the profile. */
    static Stream<Kind> everyBuildOrAll() {
        return Torture.isOn() ? Stream.of(Kind.values()) : Stream.of(Kind.CLAIM, Kind.EXACTLY_ONCE);
    }

    /** Where the kinds differ in nothing that the missing topic has not met. */
    static Stream<Kind> oneOrAll() {
        return Torture.isOn() ? Stream.of(Kind.values()) : Stream.of(Kind.EXACTLY_ONCE);
    }

    @ParameterizedTest
    @MethodSource("everyBuildOrAll")
    void missingTopicHoldsBackItsOwnKeysOnlyAndTheyArriveInOrderOnceItIsThere(Kind kind) throws Exception {
        create("good-events");
        try (TestDatabase database = kind.database()) {
            writeBadThenGood(database);
            long began = System.nanoTime();
            Relay relay = start(database, routing());
            try {
                await().atMost(PATIENCE).until(() -> goodPublished.get() == GOOD);
                long goodAfter = System.nanoTime() - began;
                assertThat(published).hasSize(GOOD);
                await().atMost(PATIENCE).until(() -> blocked.containsKey(prefix + "bad-events"));
                assertThat(blocked).containsEntry(prefix + "bad-events", "missing");
                create("bad-events");
                began = System.nanoTime();
                await().atMost(PATIENCE).until(() -> keysPublished.size() == KEYS);
                await().atMost(PATIENCE).until(() -> published.size() >= GOOD + 2 * KEYS);
                System.out.printf(
                        "%s: %d good events behind %d keys after %d ms, the others %d ms after their topic was made%n",
                        kind, GOOD, KEYS, goodAfter / 1_000_000, (System.nanoTime() - began) / 1_000_000);
                await().atMost(PATIENCE).until(() -> blocked.isEmpty());
            } finally {
                relay.stop();
            }
            assertThat(counted).as("retries counted").hasValue(0);
            assertInOrder("bad-events");
        }
    }

    @ParameterizedTest
    @MethodSource("oneOrAll")
    void eventsOfAMissingTopicGoWhereTheirNewRouteLeadsAfterARestart(Kind kind) throws Exception {
        create("good-events");
        create("other-events");
        try (TestDatabase database = kind.database()) {
            writeBadThenGood(database);
            Relay relay = start(database, routing());
            try {
                await().atMost(PATIENCE).until(() -> goodPublished.get() == GOOD);
                assertThat(published).hasSize(GOOD);
            } finally {
                relay.stop();
            }
            relay = start(database, TopicRouting.byConvention().prefix(prefix).route("acme.bad.thing", "other-events"));
            try {
                await().atMost(PATIENCE).until(() -> published.size() >= GOOD + 2 * KEYS);
            } finally {
                relay.stop();
            }
            assertInOrder("other-events");
        }
    }

    @ParameterizedTest
    @MethodSource("oneOrAll")
    void forbiddenTopicHoldsBackItsOwnKeysOnly(Kind kind) throws Exception {
        create("good-events");
        create("bad-events");
        AclBinding forbidden = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, prefix + "bad-events", PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.WRITE, AclPermissionType.DENY));
        AclBinding readable = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, prefix + "bad-events", PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.ALL, AclPermissionType.ALLOW));
        admin.createAcls(List.of(forbidden, readable)).all().get();
        try (TestDatabase database = kind.database()) {
            writeBadThenGood(database);
            Relay relay = start(database, routing());
            try {
                await().atMost(PATIENCE).until(() -> goodPublished.get() == GOOD);
                assertThat(published).hasSize(GOOD);
                await().atMost(PATIENCE).until(() -> blocked.containsValue("forbidden"));

                admin.deleteAcls(List.of(forbidden.toFilter())).all().get();
                await().atMost(PATIENCE).until(() -> published.size() >= GOOD + 2 * KEYS);
            } finally {
                relay.stop();
            }
            assertThat(counted).as("retries counted").hasValue(0);
            assertInOrder("bad-events");
        }
    }

    static Stream<Kind> logs() {
        return Torture.isOn() ? Stream.of(Kind.LOG, Kind.EXACTLY_ONCE) : Stream.of(Kind.EXACTLY_ONCE);
    }

    /**
     * As long as it is there everything goes. What is deleted in mid-work is known after the first failure; with exactly once,
     * where records are repeated for as long as the transaction may last, because they are not answered.
     */
    @ParameterizedTest
    @MethodSource("logs")
    void topicThatVanishesHoldsBackItsOwnKeysOnly(Kind kind) throws Exception {
        create("good-events");
        create("bad-events");
        try (TestDatabase database = kind.database()) {
            write(database, "acme.bad.thing.v1", "bad", 0, 20);
            // So long records for the topic are repeated that is not there any more.
            Duration repeated = kind == Kind.EXACTLY_ONCE ? Duration.ofMinutes(10) : Duration.ofSeconds(5);
            Relay relay = start(database, routing(), repeated);
            try {
                await().atMost(PATIENCE).until(() -> published.size() >= 20);
                admin.deleteTopics(List.of(prefix + "bad-events")).all().get();
                for (int n = 0; n < 50; n++) {
                    write(database, "acme.bad.thing.v1", "bad", 20 + n, 1);
                    write(database, "acme.good.thing.v1", "good", n, 1);
                }
                await().atMost(PATIENCE).until(() -> goodPublished.get() == 50);
                await().atMost(PATIENCE).until(() -> blocked.containsValue("missing"));
                create("bad-events");
                await().atMost(PATIENCE).until(() -> published.size() >= 120);
            } finally {
                relay.stop();
            }
            assertThat(counted).as("retries counted").hasValue(0);
        }
    }

    private void writeBadThenGood(TestDatabase database) {
        write(database, "acme.bad.thing.v1", "bad", 0, KEYS);
        write(database, "acme.bad.thing.v1", "bad", 0, KEYS);
        write(database, "acme.good.thing.v1", "good", 0, GOOD);
    }

    private static void write(TestDatabase database, String type, String key, int from, int count) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) select '" + type
                + "', '" + key + "', '" + key + "-' || n, '1' from "
                + database.server().numbers(from, from + count - 1));
    }

    private TopicRouting routing() {
        return TopicRouting.byConvention().prefix(prefix);
    }

    private Relay start(TestDatabase database, TopicRouting routing) {
        return start(database, routing, Duration.ofMinutes(2));
    }

    private Relay start(TestDatabase database, TopicRouting routing, Duration deliveryTimeout) {
        Relay relay = Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(kafka.bootstrapServers())
                                .routing(routing)
                                .property("retry.backoff.ms", "100")
                                .property("delivery.timeout.ms", String.valueOf(deliveryTimeout.toMillis()))
                                .property("request.timeout.ms", "4000")
                                .build())
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(50))
                        .leaseLength(
                                deliveryTimeout.multipliedBy(5).dividedBy(4).plusMinutes(1))
                        .build())
                .listener(new RelayListener() {
                    @Override
                    public void published(OutboxEvent event, Duration latency) {
                        if (event.type().contains("good")) {
                            goodPublished.incrementAndGet();
                        } else {
                            keysPublished.add(event.aggregateId());
                        }
                        published.add(event);
                    }

                    @Override
                    public void failed(OutboxEvent event, String error, boolean isCounted) {
                        counted.addAndGet(isCounted ? 1 : 0);
                    }

                    @Override
                    public void blocked(Map<String, String> destinations) {
                        blocked = destinations;
                    }
                })
                .build();
        relay.start();
        return relay;
    }

    private void create(String topic) throws Exception {
        admin.createTopics(List.of(new NewTopic(prefix + topic, 3, (short) 1)))
                .all()
                .get();
    }

    /** Of each key first the event that was written first. */
    private void assertInOrder(String topic) {
        Map<String, List<String>> ids = new HashMap<>();
        int records = 0;
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(prefix + topic).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    String id = new String(record.headers().lastHeader("ce_id").value());
                    ids.computeIfAbsent(record.key(), any -> new ArrayList<>()).add(id);
                    records++;
                }
            }
        }
        assertThat(records).isGreaterThanOrEqualTo(2 * KEYS);
        assertThat(ids).hasSize(KEYS);
        // Ids are of version 7: their order is that of the inserts, which are two statements here.
        assertThat(ids.values())
                .allSatisfy(ofKey -> assertThat(ofKey.stream().distinct().toList())
                        .hasSize(2)
                        .isSorted());
    }
}
