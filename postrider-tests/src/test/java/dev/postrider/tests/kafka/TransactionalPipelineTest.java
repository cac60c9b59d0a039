package dev.postrider.tests.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lines of shards that deliver exactly once, against a real broker. */
class TransactionalPipelineTest {
    private static final String EVENTS = "transfer-events";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final TestTopics topics = new TestTopics("line");
    private final String outboxId = UUID.randomUUID().toString();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void close() throws Exception {
        others.shutdownNow();
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    @Test
    void commitMakesEventsAndPositionVisibleTogether() throws Exception {
        topics.create(EVENTS, 3);
        TransactionalPublisher line = line(0, 1);

        assertThat(line.takeOver()).isNull();
        assertThat(send(line, "a")).isInstanceOf(PublishResult.Accepted.class);
        assertThat(send(line, "b")).isInstanceOf(PublishResult.Accepted.class);
        assertThat(committedEvents()).isEmpty();
        assertThat(committedPositions()).isEmpty();

        line.commit("up to b");
        assertThat(committedEvents()).containsExactly("a", "b");
        assertThat(committedPositions()).containsExactly("up to b");

        line.commit("further, although nothing was to be sent");
        assertThat(committedPositions()).containsExactly("up to b", "further, although nothing was to be sent");
        assertThat(line(0, 1).takeOver()).isEqualTo("further, although nothing was to be sent");
    }

    @Test
    void abortShowsNeitherAndTheLineGoesOn() throws Exception {
        topics.create(EVENTS, 3);
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        line.abort();

        assertThat(send(line, "undone")).isInstanceOf(PublishResult.Accepted.class);
        CompletableFuture<PublishResult> unanswered = publish(line, "undone too");
        line.abort();
        assertThat(get(unanswered)).isNotInstanceOfAny(PublishResult.Rejected.class, PublishResult.Unavailable.class);
        assertThat(send(line, "done")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("1");

        assertThat(committedEvents()).containsExactly("done");
        assertThat(committedPositions()).containsExactly("1");
    }

    @Test
    void lineThatWasNeverTakenOverSendsNothing() throws Exception {
        TransactionalPublisher line = line(0, 1);

        assertThat(send(line, "a")).isInstanceOf(PublishResult.Unresolved.class);
        line.abort();
        assertThatThrownBy(() -> line.commit("1"))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("taken over");
    }

    @Test
    void takeOverShutsOutWhoeverHeldTheShard() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher before = line(0, 1);
        TransactionalPublisher after = line(0, 1);
        before.takeOver();
        before.commit("1");
        assertThat(send(before, "in mid-transaction")).isInstanceOf(PublishResult.Accepted.class);

        assertThat(after.takeOver()).isEqualTo("1");

        assertThat(send(before, "too late")).isInstanceOf(PublishResult.Unresolved.class);
        assertThatThrownBy(() -> before.commit("2")).isInstanceOf(NotCommittedException.class);
        assertThat(before.abort()).as("of use on").isFalse();
        assertThat(send(before, "much too late")).isInstanceOf(PublishResult.Unresolved.class);
        assertThat(send(after, "right")).isInstanceOf(PublishResult.Accepted.class);
        after.commit("3");
        assertThat(committedEvents()).containsExactly("right");
        assertThat(committedPositions()).containsExactly("1", "3");
    }

    @Test
    void lineShutOutInMidTransactionCanNeitherCommitNorAbortButTakeOver() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher one = line(0, 1);
        TransactionalPublisher other = line(0, 1);
        one.takeOver();
        send(one, "undone");
        other.takeOver();
        assertThatThrownBy(() -> one.commit("1"))
                .as("without any event that would have told it")
                .isInstanceOf(OutcomeUnknownException.class);

        send(other, "undone");
        assertThat(one.takeOver()).isNull();
        assertThat(send(other, "too late")).isInstanceOf(PublishResult.Unresolved.class);
        other.abort();
        assertThat(send(other, "still too late")).isInstanceOf(PublishResult.Unresolved.class);

        assertThat(send(one, "right")).isInstanceOf(PublishResult.Accepted.class);
        one.commit("2");
        assertThat(other.takeOver()).isEqualTo("2");
        assertThat(committedEvents()).containsExactly("right");
    }

    @Test
    void positionIsFoundAlthoughTheHolderLeftItsTransactionOpen() throws Exception {
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        line.commit("1");
        line.close();
        openTransaction("postrider-" + outboxId + "-0", 0, "sent but never committed");

        assertThat(line(0, 1).takeOver()).isEqualTo("1");
    }

    @Test
    void positionIsNotTakenForMissingWhereAnOpenTransactionHidesIt() throws Exception {
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        KafkaProducer<String, String> stranger = openTransaction("stranger-" + outboxId, 0, "not for us");
        line.commit("behind it");

        assertThatThrownBy(line(0, 1, builder().property("max.block.ms", "3000"))::takeOver)
                .isInstanceOf(DestinationUnavailableException.class)
                .hasMessageContaining(positionsTopic())
                .hasMessageContaining("a transaction may have been left open");
        Future<String> position = others.submit(line(0, 1)::takeOver);
        stranger.abortTransaction();
        assertThat(position.get(60, TimeUnit.SECONDS)).isEqualTo("behind it");
    }

    @Test
    void openTransactionOfOneShardDoesNotHideThePositionOfAnother() throws Exception {
        TransactionalPublisher first = line(0, 2);
        TransactionalPublisher second = line(1, 2);
        first.takeOver();
        second.takeOver();
        second.commit("second");
        openTransaction("stranger-" + outboxId, 1, "left open");
        first.commit("first");

        assertThat(line(0, 2).takeOver()).isEqualTo("first");
    }

    @Test
    void eventTooLargeForTheTopicIsRejectedAndNoneOfTheOthersIsBlamed() throws Exception {
        topics.create(EVENTS, 2, "max.message.bytes", "10000");
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            List<CompletableFuture<PublishResult>> good = new ArrayList<>();
            IntStream.range(0, 100).forEach(i -> good.add(publish(line, "key" + i, "undone")));
            // Smaller each time: the size of the last one would be refused without asking the broker.
            CompletableFuture<PublishResult> large = publish(line, "key", "x".repeat(50_000 - 1_000 * round));
            IntStream.range(0, 100).forEach(i -> good.add(publish(line, "key" + i, "undone")));

            assertThat(get(large)).isInstanceOfSatisfying(PublishResult.Rejected.class, rejected -> {
                assertThat(rejected.permanent()).isTrue();
                assertThat(rejected.errorClass()).isEqualTo("RecordTooLargeException");
            });
            for (CompletableFuture<PublishResult> each : good) {
                assertThat(get(each)).isInstanceOfAny(PublishResult.Accepted.class, PublishResult.Unresolved.class);
            }
            line.abort();

            assertThat(send(line, "round " + round)).isInstanceOf(PublishResult.Accepted.class);
            line.commit("round " + round);
            expected.add("round " + round);
        }

        assertThat(committedEvents()).containsExactlyElementsOf(expected);
    }

    @Test
    void eventsOfASizeThatTheTopicHasJustRefusedCostNoTransaction() throws Exception {
        topics.create(EVENTS, 1, "max.message.bytes", "10000");
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        assertThat(send(line, "x".repeat(50_000))).isInstanceOf(PublishResult.Rejected.class);
        line.abort();

        for (int i = 0; i < 100; i++) {
            assertThat(send(line, "x".repeat(50_000 + i))).isInstanceOf(PublishResult.Rejected.class);
        }
        assertThat(send(line, "good")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("after them");

        assertThat(committedEvents()).containsExactly("good");
    }

    @Test
    void eventTooLargeForTheProducerIsRejectedAndCostsNoTransaction() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line = line(0, 1);
        line.takeOver();

        assertThat(send(line, "before")).isInstanceOf(PublishResult.Accepted.class);
        assertThat(send(line, "x".repeat(2_000_000)))
                .isInstanceOfSatisfying(
                        PublishResult.Rejected.class,
                        rejected -> assertThat(rejected.permanent()).isTrue());
        assertThat(send(line, "after")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("1");

        assertThat(committedEvents()).containsExactly("before", "after");
    }

    @Test
    void transactionInWhichAnEventFailedIsNeverCommitted() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line = line(0, 1, builder().property("value.serializer", Picky.class.getName()));
        line.takeOver();

        assertThat(send(line, "undone")).isInstanceOf(PublishResult.Accepted.class);
        assertThat(send(line, "unserializable"))
                .as("of which Kafka's producer takes no note")
                .isInstanceOf(PublishResult.Rejected.class);
        assertThatThrownBy(() -> line.commit("1"))
                .isInstanceOf(NotCommittedException.class)
                .hasMessageContaining("was not committed");

        assertThat(line.abort()).as("of use on").isTrue();
        assertThat(send(line, "done")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("2");
        assertThat(committedEvents()).containsExactly("done");
        assertThat(committedPositions()).containsExactly("2");
    }

    @Test
    void transactionWithAnUnansweredEventIsNotCommitted() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line =
                line(0, 1, builder().property("linger.ms", "15000").property("batch.size", "1000"));
        line.takeOver();

        // Larger than a batch, so that it leaves at once, and nothing else with it.
        CompletableFuture<PublishResult> answered = publish(line, "undone".repeat(1_000));
        assertThat(get(answered)).isInstanceOf(PublishResult.Accepted.class);
        CompletableFuture<PublishResult> unanswered = publish(line, "undone too");
        assertThatThrownBy(() -> line.commit("1"))
                .isInstanceOf(NotCommittedException.class)
                .hasMessageContaining("Of 2 events sent in this transaction 1 were accepted");
        assertThat(unanswered).as("Kafka's own commit waits for it").isNotDone();

        assertThat(line.abort()).as("of use on").isTrue();
        CompletableFuture<PublishResult> next = publish(line, "done");
        line.flush();
        assertThat(get(next)).isInstanceOf(PublishResult.Accepted.class);
        line.commit("2");
        assertThat(committedEvents()).containsExactly("done");
        assertThat(committedPositions()).containsExactly("2");
    }

    /** Throws what user's serializers throw. */
    public static final class Picky extends ByteArraySerializer {
        @Override
        public byte[] serialize(String topic, byte[] data) {
            if (new String(data, UTF_8).contains("unserializable")) {
                throw new SerializationException("not this one");
            }
            return super.serialize(topic, data);
        }
    }

    @Test
    void batchesThatHadToBeSplitKeepTheirOrder() throws Exception {
        TransactionalPublisher line = line(0, 1, builder().property("linger.ms", "1"));
        line.takeOver();
        for (int round = 0; round < 5; round++) {
            String topic = "round" + round + "-events";
            topics.create(topic, 1, "max.message.bytes", "10000");
            List<String> bodies =
                    IntStream.range(0, 400).mapToObj(i -> i + "x".repeat(900)).toList();
            List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
            for (String body : bodies) {
                OutboxEvent event = OutboxEvent.builder("acme.round" + round + ".done.v1")
                        .aggregate("account", "account-7")
                        .json("\"" + body + "\"")
                        .build();
                answers.add(line.publish(event, line.destination(event)).toCompletableFuture());
            }
            for (CompletableFuture<PublishResult> answer : answers) {
                assertThat(get(answer)).isInstanceOf(PublishResult.Accepted.class);
            }
            line.commit("round " + round);

            assertThat(committed(topics.prefix() + topic))
                    .containsExactlyElementsOf(
                            bodies.stream().map(body -> "\"" + body + "\"").toList());
        }
    }

    @Test
    void missingPositionsTopicIsMadeCompactedByWhoeverComesFirst() throws Exception {
        List<Future<String>> positions = new ArrayList<>();
        for (int shard = 0; shard < 4; shard++) {
            TransactionalPublisher line = line(shard, 4);
            positions.add(others.submit(line::takeOver));
        }
        for (Future<String> position : positions) {
            assertThat(position.get(60, TimeUnit.SECONDS)).isNull();
        }

        try (Admin admin = admin()) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, positionsTopic());
            assertThat(admin.describeConfigs(List.of(resource))
                            .all()
                            .get()
                            .get(resource)
                            .get("cleanup.policy")
                            .value())
                    .isEqualTo("compact");
            assertThat(admin.describeTopics(List.of(positionsTopic()))
                            .allTopicNames()
                            .get()
                            .get(positionsTopic())
                            .partitions())
                    .hasSize(4);
        }
    }

    @Test
    void positionsTopicThatForgetsIsRefused() {
        topics.create("positions-" + outboxId, 2, "cleanup.policy", "compact,delete");

        assertThatThrownBy(line(0, 2)::takeOver)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining(positionsTopic())
                .hasMessageContaining("compact,delete")
                .hasMessageContaining("--add-config cleanup.policy=compact");
    }

    @Test
    void positionsTopicForAnotherNumberOfShardsIsRefusedAndNobodyShutOut() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line = line(0, 2);
        line.takeOver();
        send(line, "a");

        assertThatThrownBy(line(0, 3)::takeOver)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("has 2 partitions")
                .hasMessageContaining("3 shards");

        line.commit("1");
        assertThat(committedEvents()).containsExactly("a");
    }

    @Test
    void deletedPositionsTopicIsMadeAgainAndHasNoPosition() throws Exception {
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        line.commit("1");
        line.close();
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(positionsTopic())).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(positionsTopic()));
        }

        TransactionalPublisher next = line(0, 1);
        assertThat(next.takeOver()).isNull();
        next.commit("2");
        assertThat(next.takeOver()).isEqualTo("2");
    }

    @Test
    void stoppedLineCommitsNothingAndWaitsToBeTakenOver() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line = line(0, 1);
        line.takeOver();
        line.commit("1");
        send(line, "undone");

        others.submit(line::halt).get(60, TimeUnit.SECONDS);

        assertThat(send(line, "unsent")).isInstanceOf(PublishResult.Unresolved.class);
        assertThatThrownBy(() -> line.commit("2")).isInstanceOf(OutcomeUnknownException.class);
        line.abort();
        assertThatThrownBy(line::takeOver)
                .isInstanceOf(DestinationUnavailableException.class)
                .hasMessageContaining("stopped");
        line.resume();
        assertThat(send(line, "unsent")).isInstanceOf(PublishResult.Unresolved.class);
        assertThat(line.takeOver()).isEqualTo("1");
        assertThat(send(line, "done")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("3");
        assertThat(committedEvents()).containsExactly("done");
        line.close();
        assertThatThrownBy(line::takeOver)
                .isInstanceOf(DestinationUnavailableException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void lineStoppedAtAnyMomentLeavesEventsAndPositionTogetherOrNeither() throws Exception {
        long seed = Long.getLong("postrider.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        topics.create(EVENTS, 3);
        TransactionalPublisher line = line(0, 1);
        List<String> expected = new ArrayList<>();
        String known = line.takeOver();
        for (int round = 0; round < 15; round++) {
            String name = "round " + round;
            long delay = random.nextLong(TimeUnit.MILLISECONDS.toNanos(15));
            CountDownLatch begun = new CountDownLatch(1);
            Future<?> stop = others.submit(() -> {
                begun.countDown();
                LockSupport.parkNanos(delay);
                line.halt();
            });
            begun.await();
            send(line, name);
            boolean confirmed = true;
            try {
                line.commit(name);
            } catch (NotCommittedException | OutcomeUnknownException e) {
                confirmed = false;
            }
            stop.get(60, TimeUnit.SECONDS);
            line.resume();

            String position = line.takeOver();
            assertThat(position).isIn(known, name);
            if (confirmed) {
                assertThat(position).isEqualTo(name);
            }
            if (name.equals(position)) {
                expected.add(name);
            }
            known = position;
        }
        assertThat(committedEvents()).containsExactlyElementsOf(expected);
        assertThat(committedPositions()).containsExactlyElementsOf(expected);
    }

    @Test
    void lineStoppedWhileItIsTakenOverIsNotTakenOver() throws Exception {
        line(0, 1).takeOver();
        KafkaProducer<String, String> stranger =
                openTransaction("stranger-" + outboxId, 0, "keeps whoever takes over waiting");
        TransactionalPublisher line = line(0, 1);

        Future<String> position = others.submit(line::takeOver);
        await().until(TransactionalPipelineTest::someoneIsReadingAPosition);
        line.halt();
        stranger.abortTransaction();

        assertThatThrownBy(() -> position.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(DestinationUnavailableException.class);
        line.resume();
        assertThat(send(line, "unsent")).isInstanceOf(PublishResult.Unresolved.class);
    }

    private static boolean someoneIsReadingAPosition() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().endsWith("PositionsTopic")
                        && frame.getMethodName().equals("read"));
    }

    @Test
    void unreachableBrokersMakeATakeOverThatCanBeTriedAgain() {
        for (String servers : List.of("localhost:1", "no-such-host.invalid:9092")) {
            TransactionalPublisher line =
                    line(0, 1, KafkaPublisher.builder(servers).property("max.block.ms", "300"));

            assertThatThrownBy(line::takeOver).isInstanceOf(DestinationUnavailableException.class);
        }
    }

    @Test
    void namesAndSettingsThatCannotBeUsedAreRefused() {
        assertThatThrownBy(() -> line(2, 2)).isInstanceOf(PostriderException.class);
        assertThatThrownBy(() -> line(0, 1, builder().positionsTopic("not a topic ")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("[not a topic ");
        assertThatThrownBy(() -> line(0, 1, builder().property("linger.ms", "20000")))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("linger.ms=20000");
        assertThatThrownBy(() -> builder().property("transaction.timeout.ms", "1000"))
                .isInstanceOf(PostriderException.class);
    }

    private KafkaPublisher.Builder builder() {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .positionsTopic(topics.prefix() + "positions-")
                .property("linger.ms", "0");
    }

    @Test
    void lineWhoseProducersThreadHasDiedIsGivenUpAndTakenOverAgain() throws Exception {
        topics.create(EVENTS, 1);
        TransactionalPublisher line = line(
                0,
                1,
                builder()
                        .property("interceptor.classes", FatalAcknowledgement.class.getName())
                        .property("request.timeout.ms", "1000")
                        .property("delivery.timeout.ms", "2000"));
        line.takeOver();
        line.commit("1");
        FatalAcknowledgement.strikeOnce();
        CompletableFuture<PublishResult> answer = publish(line, "undone");

        await().until(() -> {
            line.expireOverdue();
            return answer.isDone();
        });

        assertThat(get(answer)).isInstanceOf(PublishResult.Unresolved.class);
        assertThat(line.abort()).as("of use on").isFalse();
        assertThat(line.takeOver()).isEqualTo("1");
        assertThat(send(line, "done")).isInstanceOf(PublishResult.Accepted.class);
        line.commit("2");
        assertThat(committedEvents()).containsExactly("done");
    }

    private TransactionalPublisher line(int shard, int shards) {
        return line(shard, shards, builder());
    }

    private TransactionalPublisher line(int shard, int shards, KafkaPublisher.Builder builder) {
        TransactionalPublisher line = builder.build().pipeline(outboxId, shard, shards, TIMEOUT);
        toClose.add(line);
        return line;
    }

    private String positionsTopic() {
        return topics.prefix() + "positions-" + outboxId;
    }

    /** Someone who writes a position and then does nothing more. */
    private KafkaProducer<String, String> openTransaction(String transactionalId, int partition, String position)
            throws Exception {
        KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        DevKafka.shared().bootstrapServers(),
                        "transactional.id",
                        transactionalId,
                        "transaction.timeout.ms",
                        600_000),
                new StringSerializer(),
                new StringSerializer());
        toClose.add(() -> producer.close(Duration.ZERO));
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(positionsTopic(), partition, "position", position))
                .get(60, TimeUnit.SECONDS);
        return producer;
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()));
    }

    private CompletableFuture<PublishResult> publish(TransactionalPublisher line, String body) {
        return publish(line, "account-7", body);
    }

    private static CompletableFuture<PublishResult> publish(TransactionalPublisher line, String key, String body) {
        OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", key)
                .json("\"" + body + "\"")
                .build();
        return line.publish(event, line.destination(event)).toCompletableFuture();
    }

    private PublishResult send(TransactionalPublisher line, String body) throws Exception {
        return get(publish(line, body));
    }

    private static PublishResult get(CompletableFuture<PublishResult> answer) throws Exception {
        return answer.get(60, TimeUnit.SECONDS);
    }

    private List<String> committedEvents() {
        return committed(topics.prefix() + EVENTS).stream()
                .map(body -> body.substring(1, body.length() - 1))
                .toList();
    }

    private List<String> committedPositions() {
        return committed(positionsTopic());
    }

    /** What a consumer that reads committed events sees now. */
    private static List<String> committed(String topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                DevKafka.shared().bootstrapServers(),
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            CommittedRecords.awaitMarkers();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                assertThat(deadline - System.nanoTime()).as("time left").isPositive();
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }
}
