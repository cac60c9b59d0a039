package dev.postrider.tests.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.tests.support.CapturedLog;
import dev.postrider.tests.support.HangingTransactions;
import dev.postrider.tests.support.HangingTransactions.Hanging;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A position in a transaction that nobody will ever end, and what the next take-over makes of it. */
class HangingPositionTest {
    private static final String EVENTS = "transfer-events";
    private static final int PARTITIONS = 3;

    private final TestTopics topics = new TestTopics("hanging");
    private final String servers = DevKafka.shared().bootstrapServers();
    private final HangingTransactions hanging = new HangingTransactions(servers);
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
    private final String outboxId = UUID.randomUUID().toString();
    private final String transactionalId = "postrider-" + outboxId + "-0";
    private final TopicPartition positions = new TopicPartition(topics.prefix() + "positions-" + outboxId, 0);
    private final List<TopicPartition> events = topics.partitions(EVENTS, PARTITIONS);
    private final List<AutoCloseable> toClose = new ArrayList<>();

    @BeforeEach
    void deliverTheFirstEvent() throws Exception {
        topics.create(EVENTS, PARTITIONS);
        TransactionalPublisher line = line();
        takeOver(line);
        send(line, "a");
        line.commit("1");
        line.close();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
        admin.close();
        hanging.close();
    }

    @Test
    void positionNamesARecordInEachPartitionThatItsEventsAreIn() throws Exception {
        TransactionalPublisher line = line();
        takeOver(line);
        for (int key = 0; key < 20; key++) {
            assertThat(get(publish(line, "key " + key, "b" + key))).isInstanceOf(PublishResult.Accepted.class);
        }
        line.commit("2");
        line.commit("3");

        Map<String, ConsumerRecord<String, String>> written = read(List.of(positions), "read_uncommitted").stream()
                .collect(Collectors.toMap(ConsumerRecord::value, record -> record));
        assertThat(witnesses(written.get("1"))).hasSize(1);
        assertThat(witnesses(written.get("2"))).hasSize(PARTITIONS);
        assertThat(witnesses(written.get("3"))).isEmpty();
        List<String> committed = read(events, "read_committed").stream()
                .map(record -> witness(
                        new TopicPartition(record.topic(), record.partition()), record.offset(), record.timestamp()))
                .toList();
        assertThat(committed).containsAll(witnesses(written.get("1"))).containsAll(witnesses(written.get("2")));
    }

    @Test
    void transactionWhoseEventsWereAbortedIsEndedAndTheyAreSentAgain() throws Exception {
        String undone = transaction("b", false);
        hang("2", undone);

        TransactionalPublisher next = line();
        try (CapturedLog log = new CapturedLog()) {
            assertThat(takeOver(next)).isEqualTo("1");
            assertThat(log.lines("WARN", "A transaction hung in " + positions, "None of its events had been committed"))
                    .hasSize(1);
        }

        sendAgain(next);
    }

    @Test
    void transactionThatHangsWithItsEventsIsEndedInAllItsPartitions() throws Exception {
        // In all of them: wherever the event goes when it is sent again, it must not take the lost one along.
        List<String> lost = new ArrayList<>();
        for (TopicPartition partition : events) {
            lost.add(witness(hanging.leave(transactionalId, partition, "account-7", "\"lost\"")));
        }
        hang("2", lost.toArray(String[]::new));

        TransactionalPublisher next = line();
        assertThat(takeOver(next)).isEqualTo("1");

        for (TopicPartition partition : events) {
            assertThat(hanging.hides(partition)).isFalse();
        }
        sendAgain(next);
    }

    @Test
    void eventsThatHangWithoutAPositionAreUndoneBeforeTheyAreSentAgain() throws Exception {
        for (TopicPartition partition : events) {
            hanging.leave(transactionalId, partition, "account-7", "\"lost\"");
        }

        TransactionalPublisher next = line();
        assertThat(takeOver(next)).isEqualTo("1");
        try (CapturedLog log = new CapturedLog()) {
            sendAgain(next);
            assertThat(log.lines("WARN", "hung in " + topics.prefix() + EVENTS, "Its events are undone there"))
                    .hasSize(PARTITIONS);
        }
    }

    @Test
    void eventsOfACommittedPositionThatHangAreDeliveredWithTheNextOnes() throws Exception {
        List<String> found = new ArrayList<>();
        for (TopicPartition partition : events) {
            found.add(witness(hanging.leave(transactionalId, partition, "account-7", "\"found\"")));
        }
        commitPosition("2", found);

        TransactionalPublisher next = line();
        assertThat(takeOver(next)).isEqualTo("2");
        for (int key = 0; key < 20; key++) {
            assertThat(get(publish(next, "key " + key, "b" + key))).isInstanceOf(PublishResult.Accepted.class);
        }
        next.commit("3");

        assertThat(committedEvents()).hasSize(1 + PARTITIONS + 20).contains("a", "found", "b0", "b19");
    }

    /** As another producer of the same id would that has lost the marks in the partitions of its events. */
    private void commitPosition(String position, List<String> witnesses) throws Exception {
        try (KafkaProducer<String, String> producer = producer("transactional.id", transactionalId)) {
            producer.initTransactions();
            producer.beginTransaction();
            ProducerRecord<String, String> last =
                    new ProducerRecord<>(positions.topic(), positions.partition(), "position", position);
            last.headers().add("witnesses", String.join("\n", witnesses).getBytes(UTF_8));
            producer.send(last);
            producer.commitTransaction();
        }
    }

    @Test
    void positionWhoseEventsWereCommittedCountsAndNothingIsDoubled() throws Exception {
        String done = transaction("b", true);
        hang("2", done);

        TransactionalPublisher next = line();
        try (CapturedLog log = new CapturedLog()) {
            assertThat(takeOver(next)).isEqualTo("2");
            assertThat(log.lines("WARN", "A transaction hung in " + positions, "Its events had been committed"))
                    .hasSize(1);
        }

        assertThat(hanging.hides(positions)).isFalse();
        assertThat(takeOver(line())).as("for everyone who comes later").isEqualTo("2");
        next = line();
        takeOver(next);
        send(next, "c");
        next.commit("3");
        assertThat(committedEvents()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(takeOver(line())).isEqualTo("3");
    }

    @Test
    void whoeverComesAfterACrashBetweenTheAttestationAndTheEndDoesTheRest() throws Exception {
        String done = transaction("b", true);
        Hanging position = hang("2", done);
        attest(position.offset(), "2");
        long end = hanging.end(positions);

        assertThat(takeOver(line())).isEqualTo("2");

        assertThat(hanging.hides(positions)).isFalse();
        assertThat(hanging.end(positions))
                .as("the mark of the end, and nothing else")
                .isEqualTo(end + 1);
    }

    @Test
    void attestedPositionCountsAlsoIfSomebodyElseEndsTheTransaction() throws Exception {
        String done = transaction("b", true);
        Hanging position = hang("2", done);
        attest(position.offset(), "2");
        abort(position);

        assertThat(takeOver(line())).isEqualTo("2");
    }

    @Test
    void attestationThatComesLateReplacesNoLaterPosition() throws Exception {
        String done = transaction("b", true);
        Hanging position = hang("2", done);
        TransactionalPublisher next = line();
        takeOver(next);
        next.commit("3");
        attest(position.offset(), "2");

        assertThat(takeOver(line())).isEqualTo("3");
    }

    @Test
    void transactionWithoutEventsIsEnded() throws Exception {
        hang("2");

        TransactionalPublisher next = line();
        assertThat(takeOver(next)).isEqualTo("1");

        sendAgain(next);
    }

    @Test
    void positionThatDoesNotSayWhereItsEventsAreIsLeftToPeople() throws Exception {
        Hanging position = hanging.leave(transactionalId, positions, "position", "2");

        assertIsLeftAlone();

        abort(position);
        assertThat(takeOver(line())).isEqualTo("1");
    }

    @Test
    void transactionThatWasCommittedInOneOfItsPartitionsCountsAndTheRestComesWithTheNextCommit() throws Exception {
        String done = transaction("b", true);
        List<String> all = new ArrayList<>(List.of(done));
        for (TopicPartition partition : events) {
            if (!done.startsWith(partition.topic() + " " + partition.partition() + " ")) {
                all.add(witness(hanging.leave(transactionalId, partition, "account-8", "\"c" + partition + "\"")));
            }
        }
        hang("2", all.toArray(String[]::new));

        TransactionalPublisher next = line();
        assertThat(takeOver(next)).isEqualTo("2");
        for (int key = 0; key < 20; key++) {
            assertThat(get(publish(next, "key " + key, "d" + key))).isInstanceOf(PublishResult.Accepted.class);
        }
        next.commit("3");

        assertThat(committedEvents())
                .hasSize(1 + PARTITIONS + 20)
                .contains("a", "b")
                .doesNotHaveDuplicates();
    }

    @Test
    void transactionThatWasCommittedInOnePartitionAndAbortedInAnotherIsLeftToPeople() throws Exception {
        String done = transaction(0, "b", true);
        String undone = transaction(1, "c", false);
        hang("2", done, undone);

        assertIsLeftAlone();
    }

    @Test
    void witnessThatIsGoneOrAnotherOneSaysNothing() throws Exception {
        String undone = transaction("b", false);
        String done = transaction("c", true);
        hang("2", done.replaceFirst("[0-9]+$", "1"));
        assertIsLeftAlone();
        abort(new Hanging(positions, 0, 0, producerId(), epochOfTheLast()));

        String[] parts = undone.split(" ");
        TopicPartition partition = new TopicPartition(parts[0], Integer.parseInt(parts[1]));
        hang("2", undone);
        admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(Long.parseLong(parts[2]) + 1)))
                .all()
                .get();
        assertIsLeftAlone();
    }

    /** As it is refused today. */
    private void assertIsLeftAlone() throws Exception {
        long end = hanging.end(positions);
        await().untilAsserted(() -> assertThatThrownBy(line()::takeOver)
                .isInstanceOf(DestinationUnavailableException.class)
                .hasMessageContaining("could not be read to the end of partition 0: for PT2S offset ")
                .hasMessageContaining("was not passed, of " + end)
                .hasMessageContaining("'postrider doctor' names it"));
        assertThat(hanging.end(positions)).isEqualTo(end);
        assertThat(hanging.hides(positions)).isTrue();
    }

    /** And gets there, once. */
    private void sendAgain(TransactionalPublisher line) throws Exception {
        assertThat(hanging.hides(positions)).isFalse();
        for (int key = 0; key < 20; key++) {
            assertThat(get(publish(line, "key " + key, "b" + key))).isInstanceOf(PublishResult.Accepted.class);
        }
        line.commit("2, this time really");
        assertThat(committedEvents())
                .hasSize(21)
                .contains("a", "b0", "b19")
                .doesNotHaveDuplicates()
                .doesNotContain("lost", "b");
        assertThat(takeOver(line())).isEqualTo("2, this time really");
    }

    private Hanging hang(String position, String... witnesses) throws Exception {
        Header header =
                new RecordHeader("witnesses", String.join("\n", witnesses).getBytes(UTF_8));
        return hanging.leave(transactionalId, positions, "position", position, header);
    }

    /**
     * What a line does, but without a position.
     *
     * @return the witness
     */
    private String transaction(String body, boolean commit) throws Exception {
        return transaction(null, body, commit);
    }

    /**
     * @param partition null if the key decides
     */
    private String transaction(Integer partition, String body, boolean commit) throws Exception {
        try (KafkaProducer<String, String> producer = producer("transactional.id", transactionalId)) {
            producer.initTransactions();
            producer.beginTransaction();
            RecordMetadata metadata = producer.send(
                            new ProducerRecord<>(topics.prefix() + EVENTS, partition, "account-7", "\"" + body + "\""))
                    .get(60, TimeUnit.SECONDS);
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            TopicPartition written = new TopicPartition(metadata.topic(), metadata.partition());
            await().until(() -> !hanging.hides(written));
            return witness(written, metadata.offset(), metadata.timestamp());
        }
    }

    private void attest(long offset, String position) throws Exception {
        try (KafkaProducer<String, String> producer = producer("acks", "all")) {
            producer.send(new ProducerRecord<>(positions.topic(), 0, "delivered-" + offset, position))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private void abort(Hanging transaction) throws Exception {
        admin.abortTransaction(new AbortTransactionSpec(
                        transaction.partition(), transaction.producerId(), transaction.epoch(), 0))
                .all()
                .get();
    }

    private long producerId() throws Exception {
        return admin.describeTransactions(List.of(transactionalId))
                .description(transactionalId)
                .get()
                .producerId();
    }

    private short epochOfTheLast() throws Exception {
        return (short) admin.describeProducers(List.of(positions))
                .partitionResult(positions)
                .get()
                .activeProducers()
                .get(0)
                .producerEpoch();
    }

    private static String witness(Hanging record) {
        return witness(record.partition(), record.offset(), record.timestamp());
    }

    private static String witness(TopicPartition partition, long offset, long timestamp) {
        return partition.topic() + " " + partition.partition() + " " + offset + " " + timestamp;
    }

    private static List<String> witnesses(ConsumerRecord<String, String> position) {
        return new String(position.headers().lastHeader("witnesses").value(), UTF_8)
                .lines()
                .toList();
    }

    private KafkaProducer<String, String> producer(String setting, String value) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", servers, setting, value), new StringSerializer(), new StringSerializer());
    }

    /** As a relay does, which tries again where the machine is slow. */
    private static String takeOver(TransactionalPublisher line) {
        AtomicReference<String> position = new AtomicReference<>();
        await().ignoreException(DestinationUnavailableException.class).until(() -> {
            position.set(line.takeOver());
            return true;
        });
        return position.get();
    }

    private TransactionalPublisher line() {
        TransactionalPublisher line = KafkaPublisher.builder(servers)
                .routing(topics.routing())
                .positionsTopic(topics.prefix() + "positions-")
                .property("linger.ms", "0")
                .property("max.block.ms", "2000")
                .build()
                .pipeline(outboxId, 0, 1, Duration.ofSeconds(20));
        toClose.add(line);
        return line;
    }

    private static void send(TransactionalPublisher line, String body) throws Exception {
        assertThat(get(publish(line, "account-7", body))).isInstanceOf(PublishResult.Accepted.class);
    }

    private static CompletableFuture<PublishResult> publish(TransactionalPublisher line, String key, String body) {
        OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", key)
                .json("\"" + body + "\"")
                .build();
        return line.publish(event, line.destination(event)).toCompletableFuture();
    }

    private static PublishResult get(CompletableFuture<PublishResult> answer) throws Exception {
        return answer.get(60, TimeUnit.SECONDS);
    }

    private List<String> committedEvents() throws Exception {
        for (TopicPartition partition : events) {
            await().until(() -> !hanging.hides(partition));
        }
        return read(events, "read_committed").stream()
                .map(record -> record.value().replace("\"", ""))
                .toList();
    }

    private List<ConsumerRecord<String, String>> read(List<TopicPartition> partitions, String isolation) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", servers, "isolation.level", isolation, "auto.offset.reset", "earliest");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one));
            });
        }
        return records;
    }
}
