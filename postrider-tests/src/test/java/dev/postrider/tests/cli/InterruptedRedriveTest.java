package dev.postrider.tests.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.redrive.Redrive;
import dev.postrider.tests.support.DeadLetters;
import dev.postrider.tests.support.TestTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that redrive a dead letter topic and end half-way. */
class InterruptedRedriveTest {
    private static final int RECORDS = 10_000;
    private static final int KEYS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String SERVERS = DevKafka.shared().bootstrapServers();

    @TempDir
    private Path directory;

    private final TestTopics topics = new TestTopics("redriven");
    private final String origin = topics.prefix() + "order-events";
    private final String letters = origin + ".dlq";
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", SERVERS));

    @BeforeEach
    void createTopics() throws Exception {
        topics.create("order-events", 3);
        topics.create("order-events.dlq", 1);
        try (DeadLetters dead = new DeadLetters(SERVERS, letters)) {
            for (int n = 0; n < RECORDS; n++) {
                dead.add(origin, "key-" + n % KEYS, String.valueOf(n), "java.lang.IllegalStateException", "shop");
            }
            dead.await();
        }
    }

    @AfterEach
    void close() throws Exception {
        throttle(null);
        admin.close();
    }

    /** With a quota, so that there is a half-way. */
    @Test
    void killedRedriveIsContinuedAndEachRecordComesOnceOrMarkedAgainInKeyOrder() throws Exception {
        throttle(50_000.0);
        try (CommandProcess process = CommandProcess.start(
                directory,
                Map.of("POSTRIDER_KAFKA", SERVERS, "POSTRIDER_KAFKA_PROPERTIES", "compression.type=none"),
                "topics",
                "redrive",
                letters,
                "--yes")) {
            await().atMost(PATIENCE).until(() -> {
                assertThat(process.isAlive()).as(process.err()).isTrue();
                return arrived() >= RECORDS / 5 && recorded() > 0;
            });
        }
        throttle(null);
        assertThat(arrived()).as("not at its end").isLessThan(RECORDS);
        long recorded = recorded();

        Operator operator = new Operator(directory).variable("POSTRIDER_KAFKA", SERVERS);
        assertThat(operator.run("topics", "redrive", letters, "--yes", "--json"))
                .as(operator.err())
                .isZero();

        assertThat(operator.json().path("complete").asBoolean()).isTrue();
        assertThat(operator.json().path("sentBefore").asLong()).isGreaterThanOrEqualTo(recorded);
        assertThat(operator.json().path("sent").asLong()).isPositive().isLessThanOrEqualTo(RECORDS - recorded);
        // The broker may have had requests of the killed process to do, so that it is not known before what came by it.
        List<ConsumerRecord<String, String>> all =
                topics.read("order-events", new StringDeserializer(), Math.toIntExact(arrived()));
        assertEachOnceOrMarkedAgainInKeyOrder(all);

        assertThat(operator.run("topics", "redrive", letters, "--yes", "--json"))
                .isZero();
        assertThat(operator.json().path("sent").asLong())
                .as("sent a third time")
                .isZero();
        assertThat(arrived()).isEqualTo(all.size());
    }

    @Test
    void signalEndsARedriveWithEverythingOnItsWayRecorded() throws Exception {
        throttle(50_000.0);
        try (CommandProcess process = CommandProcess.start(
                directory,
                Map.of("POSTRIDER_KAFKA", SERVERS, "POSTRIDER_KAFKA_PROPERTIES", "compression.type=none"),
                "topics",
                "redrive",
                letters,
                "--yes")) {
            await().atMost(PATIENCE).until(() -> arrived() >= RECORDS / 10);
            throttle(null);
            assertThat(process.terminate()).as(process.err()).isEqualTo(130);
            assertThat(process.err()).contains("Run the same command again to go on.");
        }

        Operator operator = new Operator(directory).variable("POSTRIDER_KAFKA", SERVERS);
        assertThat(operator.run("topics", "redrive", letters, "--yes"))
                .as(operator.err())
                .isZero();

        assertThat(arrived()).as("each once").isEqualTo(RECORDS);
        assertEachOnceOrMarkedAgainInKeyOrder(topics.read("order-events", new StringDeserializer(), RECORDS));
    }

    private static void assertEachOnceOrMarkedAgainInKeyOrder(List<ConsumerRecord<String, String>> all) {
        Set<String> places = new HashSet<>();
        Set<String> sent = new HashSet<>();
        Map<String, List<Integer>> firstsByKey = new HashMap<>();
        for (ConsumerRecord<String, String> record : all) {
            String place = header(record, "postrider-redrive-from");
            assertThat(header(record, "postrider-redrive-count")).isEqualTo("1");
            assertThat(sent.add(place + " " + header(record, "postrider-redrive")))
                    .as("twice in one run: " + place)
                    .isTrue();
            if (places.add(place)) {
                firstsByKey
                        .computeIfAbsent(record.key(), any -> new ArrayList<>())
                        .add(Integer.valueOf(record.value()));
            }
        }
        assertThat(places).hasSize(RECORDS);
        assertThat(firstsByKey).hasSize(KEYS);
        firstsByKey.forEach(
                (key, values) -> assertThat(values).as(key).isSorted().hasSize(RECORDS / KEYS));
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private long arrived() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        topics.partitions("order-events", 3).forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        return admin.listOffsets(latest).all().get().values().stream()
                .mapToLong(end -> end.offset())
                .sum();
    }

    private long recorded() throws ExecutionException, InterruptedException {
        OffsetAndMetadata offset = admin.listConsumerGroupOffsets(Redrive.groupOf(letters))
                .partitionsToOffsetAndMetadata()
                .get()
                .get(new TopicPartition(letters, 0));
        return offset == null ? 0 : offset.offset();
    }

    /** Bytes in a second that the brokers take from redrives; null for no limit. */
    private void throttle(Double rate) throws ExecutionException, InterruptedException {
        ClientQuotaEntity entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "postrider-redrive"));
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        entity, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", rate)))))
                .all()
                .get();
    }
}
