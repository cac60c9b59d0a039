package dev.postrider.tests.consume;

import static dev.postrider.tests.consume.ConsumedTopic.PATIENCE;
import static dev.postrider.tests.consume.ConsumedTopic.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.redrive.Redrive;
import dev.postrider.tests.support.DeadLetters;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of a dead letter topic that an operator sends back. */
class RedriveTest {
    private static final String SERVERS = DevKafka.shared().bootstrapServers();
    private static final String ILLEGAL = "java.lang.IllegalStateException";
    private static final String SQL = "java.sql.SQLException";

    @TempDir
    private Path directory;

    private final TestTopics topics = new TestTopics("redrive");
    private final String origin = topics.prefix() + "order-events";
    private final String letters = origin + ".dlq";
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", SERVERS));
    private Operator operator;

    @BeforeEach
    void begin() {
        operator = new Operator(directory).variable("POSTRIDER_KAFKA", SERVERS);
    }

    @AfterEach
    void close() {
        admin.close();
    }

    @Test
    void redrivenRecordThatDiesAgainIsCountedAndHandledOnceItsHandlerIsRepaired() throws Exception {
        AtomicBoolean repaired = new AtomicBoolean();
        List<ReceivedEvent> handled = new CopyOnWriteArrayList<>();
        try (ConsumedTopic topic = new ConsumedTopic(1)) {
            topic.createDeadLetterTopic();
            topic.send("a", "1", "2");
            KafkaEventConsumer consumer = topic.start(topic.consumer()
                    .settings(ConsumedTopic.settings("consumer", 0).build())
                    .handler(event -> {
                        if (!repaired.get()) {
                            throw new IllegalStateException("cannot be paid");
                        }
                        handled.add(event);
                    }));
            topic.deadLetters(2);

            assertThat(redrive(topic.name() + ".dlq", "--yes"))
                    .as(operator.err())
                    .isZero();
            List<ConsumerRecord<String, byte[]>> died = topic.deadLetters(4);
            assertThat(header(died.get(3), "postrider-redrive-count")).isEqualTo("1");
            assertThat(header(died.get(3), "postrider-dlq-exception")).isEqualTo(ILLEGAL);

            assertThat(redrive(topic.name() + ".dlq", "--dry-run", "--json")).isZero();
            assertThat(operator.json().path("sentBefore").asInt()).isEqualTo(2);
            assertThat(operator.json().path("groups").get(0).path("redriven").asInt())
                    .isEqualTo(1);
            assertThat(operator.json().path("groups").get(0).path("records").asInt())
                    .isEqualTo(2);

            repaired.set(true);
            assertThat(redrive(topic.name() + ".dlq", "--yes"))
                    .as(operator.err())
                    .isZero();
            await().atMost(PATIENCE).until(() -> handled.size() == 2);
            consumer.stop();
        }
        assertThat(handled).extracting(event -> event.payload().text()).containsExactly("1", "2");
        assertThat(handled.get(0).headers())
                .containsEntry("postrider-redrive-count", "2")
                .containsEntry("tenant", "t-1")
                .containsKeys("postrider-redrive", "postrider-redrive-from")
                .doesNotContainKeys("postrider-dlq-topic", "postrider-dlq-exception");
    }

    @Test
    void dryRunCountsByTopicAndReasonAndChangesNothing() throws Exception {
        createTopics();
        fill();

        assertThat(redrive("--dry-run")).as(operator.err()).isZero();

        assertThat(operator.out())
                .containsPattern(origin + " +" + ILLEGAL + " +0 +4")
                .containsPattern(origin + " +" + SQL + " +0 +2")
                .contains("6 records would be sent; nothing was.");
        assertThat(arrived()).isZero();
        assertThat(admin.listConsumerGroupOffsets(Redrive.groupOf(letters))
                        .partitionsToOffsetAndMetadata()
                        .get())
                .isEmpty();
        assertThat(operator.answering("no").run("topics", "redrive", letters)).isZero();
        assertThat(operator.questions()).containsExactly("Send 6 records back, to " + origin + "? [y/N] ");
        assertThat(operator.out()).contains("Nothing was sent.");
        assertThat(arrived()).isZero();
    }

    @Test
    void filtersSelectAndNoRunSendsWhatAnotherHasSent() throws Exception {
        createTopics();
        fill();

        assertThat(sentBy("--reason", "IllegalStateException", "--group", "shop"))
                .containsExactly("1", "3");
        assertThat(sentBy("--key", "b")).containsExactly("5");
        assertThat(sentBy("--since", "2026-01-01T00:00:00Z", "--until", "2026-01-02T00:00:00Z"))
                .containsExactly("2");
        assertThat(sentBy("--message", "handle b")).isEmpty();
        assertThat(sentBy("--limit", "1")).containsExactly("4");
        assertThat(operator.out()).contains("1 more record left for the next run (--limit).");
        assertThat(sentBy()).containsExactly("6");
        assertThat(operator.out()).contains("5 records left out: sent back before (--again sends them too).");
        assertThat(sentBy()).isEmpty();
        assertThat(sentBy("--again", "--limit", "2")).containsExactly("1", "2");
        assertThat(sentBy("--key", "a")).containsExactly("3");
    }

    /** Reasons, keys, groups and times of death; the values say in which order. */
    private void fill() throws Exception {
        long day = Instant.parse("2026-01-01T12:00:00Z").toEpochMilli();
        try (DeadLetters dead = new DeadLetters(SERVERS, letters)) {
            dead.add(origin, "a", "1", ILLEGAL, "shop")
                    .add(day, origin, "a", "2", SQL, "shop")
                    .add(origin, "a", "3", ILLEGAL, "shop")
                    .add(origin, "c", "4", ILLEGAL, "bank")
                    .add(origin, "b", "5", SQL, "shop")
                    .add(origin, null, "6", ILLEGAL, "bank")
                    .await();
        }
    }

    /** What one more run has sent. */
    private List<String> sentBy(String... options) throws Exception {
        int before = Math.toIntExact(arrived());
        String[] all = new String[options.length + 1];
        System.arraycopy(options, 0, all, 0, options.length);
        all[options.length] = "--yes";
        assertThat(redrive(all)).as(operator.err()).isZero();
        int after = Math.toIntExact(arrived());
        return topics.read("order-events", new StringDeserializer(), after).stream()
                .skip(before)
                .map(ConsumerRecord::value)
                .toList();
    }

    /** Many at a time are on their way when the broker refuses one: the first that it gets from the producer, or a later one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 101})
    void recordThatIsNotAcceptedEndsTheRunBeforeLaterOnesOfItsKey(int refused) throws Exception {
        topics.create("order-events", 1, "max.message.bytes", "20000");
        topics.create("order-events.dlq", 1, "max.message.bytes", "200000");
        String large = new Random(1)
                .ints(100_000, '0', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        try (DeadLetters dead = new DeadLetters(SERVERS, letters)) {
            for (int n = 0; n < 200; n++) {
                dead.add(origin, "key-" + n % 2, n == refused ? large : String.valueOf(n), ILLEGAL, "shop");
            }
            dead.await();
        }
        List<String> before = everySecond(refused % 2, refused);

        assertThat(redrive("--yes")).isEqualTo(1);

        assertThat(operator.err())
                .contains("Stopped: record " + letters + "-0@" + refused + " was not accepted: RecordTooLargeException")
                .contains("Run the same command again to go on.");
        assertThat(valuesOf("key-" + refused % 2)).as("before the refused one").isSubsetOf(before);

        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, origin);
        admin.incrementalAlterConfigs(Map.of(
                        topic,
                        List.of(new AlterConfigOp(
                                new ConfigEntry("max.message.bytes", "200000"), AlterConfigOp.OpType.SET))))
                .all()
                .get();
        assertThat(redrive("--yes")).as(operator.err()).isZero();
        List<String> wanted = new ArrayList<>(before);
        wanted.add(large);
        wanted.addAll(everySecond(refused + 2, 200));
        assertThat(valuesOf("key-" + refused % 2).stream().distinct().toList().equals(wanted))
                .as("all in their order")
                .isTrue();
    }

    private static List<String> everySecond(int from, int to) {
        return IntStream.iterate(from, n -> n < to, n -> n + 2)
                .mapToObj(String::valueOf)
                .toList();
    }

    private List<String> valuesOf(String key) throws Exception {
        return topics.read("order-events", new StringDeserializer(), Math.toIntExact(arrived())).stream()
                .filter(record -> record.key().equals(key))
                .map(ConsumerRecord::value)
                .toList();
    }

    @Test
    void recordThatDoesNotSayWhereItCameFromIsLeftOutUnlessATopicIsNamed() throws Exception {
        createTopics();
        try (DeadLetters dead = new DeadLetters(SERVERS, letters)) {
            dead.add(origin, "a", "1", ILLEGAL, "shop")
                    .add((String) null, "a", "lost", ILLEGAL, "shop")
                    .add(letters, "a", "loop", ILLEGAL, "shop")
                    .await();
        }

        assertThat(sentBy()).containsExactly("1");
        assertThat(operator.out()).contains("2 records left out: no header postrider-dlq-topic says where from");
        assertThat(sentBy("--to", origin)).containsExactly("lost", "loop");
    }

    @Test
    void topicThatIsMissingIsNamedBeforeAnythingIsSentAndNotCreated() throws Exception {
        createTopics();
        String gone = topics.prefix() + "gone-events";
        try (DeadLetters dead = new DeadLetters(SERVERS, letters)) {
            dead.add(origin, "a", "1", ILLEGAL, "shop")
                    .add(gone, "a", "2", ILLEGAL, "shop")
                    .await();
        }

        assertThat(redrive("--dry-run")).isEqualTo(1);
        assertThat(operator.err()).contains("Topic " + gone + ", where 1 record came from, does not exist");
        assertThat(redrive("--yes")).isEqualTo(1);
        assertThat(operator.err()).contains("Topic " + gone, "create it", "Nothing was sent.");
        assertThat(arrived()).isZero();
        assertThat(admin.listTopics().names().get()).doesNotContain(gone);
    }

    @Test
    void deadLetterTopicOrKafkaThatIsNotThereIsNamed() {
        assertThat(redrive("--yes")).isEqualTo(1);
        assertThat(operator.err()).contains("There is no topic " + letters + ".");
        assertThat(operator.run("topics", "redrive", letters, "--yes", "--kafka", "127.0.0.1:1"))
                .isEqualTo(1);
        assertThat(operator.err()).contains("Kafka cannot be reached; nothing was sent: 127.0.0.1:1");
    }

    @Test
    void progressInATopicThatWasCreatedAgainDoesNotCount() throws Exception {
        createTopics();
        fill();
        assertThat(sentBy()).hasSize(6);

        admin.deleteTopics(List.of(letters)).all().get();
        await().atMost(PATIENCE).until(() -> !admin.listTopics().names().get().contains(letters));
        topics.create("order-events.dlq", 1);
        fill();

        assertThat(sentBy()).hasSize(6);
    }

    /** It waits for longer than a process that was killed counts as running. */
    @Test
    @Tag(Torture.ONLY)
    void secondRedriveOfATopicIsRefused() throws Exception {
        createTopics();
        fill();
        try (KafkaConsumer<String, String> other = new KafkaConsumer<>(
                Map.of("bootstrap.servers", SERVERS, "group.id", Redrive.groupOf(letters)),
                new StringDeserializer(),
                new StringDeserializer())) {
            other.subscribe(List.of(letters));
            await().atMost(PATIENCE).until(() -> {
                other.poll(Duration.ofMillis(100));
                return !other.assignment().isEmpty();
            });

            assertThat(redrive("--yes")).isEqualTo(1);
            assertThat(operator.err()).contains("Somebody else is redriving this topic");
        }
        assertThat(arrived()).isZero();
    }

    private void createTopics() {
        topics.create("order-events", 1);
        topics.create("order-events.dlq", 1);
    }

    private int redrive(String... options) {
        return options.length > 0 && options[0].endsWith(".dlq") ? run(options) : run(prepended(letters, options));
    }

    private static String[] prepended(String first, String[] others) {
        String[] all = new String[others.length + 1];
        all[0] = first;
        System.arraycopy(others, 0, all, 1, others.length);
        return all;
    }

    private int run(String[] arguments) {
        return operator.run(prepended("topics", prepended("redrive", arguments)));
    }

    private long arrived() throws Exception {
        TopicPartition partition = new TopicPartition(origin, 0);
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .all()
                .get()
                .get(partition)
                .offset();
    }
}
