package dev.postrider.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.cli.Operator;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.HangingTransactions;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions that were left open at the broker, and the command that ends them. */
class DoctorTransactionsTest {
    @TempDir
    private Path directory;

    private final TestTopics topics = new TestTopics("open");
    private final String servers = DevKafka.shared().bootstrapServers();
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
    private final HangingTransactions hanging = new HangingTransactions(servers);
    private final TopicPartition events = new TopicPartition(topics.prefix() + "order-events", 0);
    private TestDatabase database;
    private TopicPartition positions;

    @BeforeEach
    void create() throws Exception {
        database = TestDatabase.withOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE));
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.paid.v1', 'order', '1', '{}')");
        topics.create("order-events", 1);
        String id = database.one("select value from outbox_settings where name = 'outbox_id'");
        positions = new TopicPartition("postrider-positions-" + id, 0);
        admin.createTopics(List.of(
                        new NewTopic(positions.topic(), 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
                .all()
                .get();
    }

    @AfterEach
    void close() {
        hanging.close();
        admin.close();
        database.close();
    }

    @Test
    void hangingTransactionIsNamedAndTheCommandEndsItAfterHavingShownIt() throws Exception {
        long producerId = leaveHanging(events);
        leaveHanging(positions);

        List<Visit.Said> said = visit(Limits.STANDARD).of("broker.transactions");

        assertThat(said).hasSize(2).allMatch(one -> one.severity().equals("ERROR"));
        assertThat(said).anyMatch(one -> one.finding().contains(positions.toString()));
        Visit.Said ofEvents = said.stream()
                .filter(one -> one.finding().contains(events.toString()))
                .findFirst()
                .orElseThrow();
        assertThat(ofEvents.finding())
                .contains("hangs in partition " + events, "producer id " + producerId + ", epoch 0, from offset 0 on");

        Operator operator = operator();
        assertThat(operator.run(arguments(ofEvents.fix()))).as(operator.err()).isZero();
        assertThat(operator.out())
                .contains("producer id " + producerId, "no coordinator will end it", "Nothing was changed.", "--yes");
        assertThat(hanging.hides(events)).isTrue();

        for (Visit.Said one : said) {
            assertThat(operator.run(arguments(one.fix() + " --yes")))
                    .as(operator.err())
                    .isZero();
            assertThat(operator.out()).contains("The transaction is ended.");
        }
        assertThat(hanging.hides(events)).isFalse();
        assertThat(hanging.hides(positions)).isFalse();
        assertThat(visit(Limits.STANDARD).only("broker.transactions").severity())
                .isEqualTo("OK");

        assertThat(operator.run(arguments(ofEvents.fix() + " --yes"))).isNotZero();
        assertThat(operator.err()).contains("No transaction that begins at offset 0 is open");
    }

    @Test
    void transactionThatItsCoordinatorKnowsIsNamedWithItsIdAndEndedEverywhere() throws Exception {
        String id = topics.prefix() + "somebody";
        try (KafkaProducer<byte[], byte[]> producer = producer(id)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(events.topic(), 0, null, "a".getBytes(UTF_8)));
            producer.send(new ProducerRecord<>(positions.topic(), 0, "k".getBytes(UTF_8), "b".getBytes(UTF_8)));
            producer.flush();
            assertThat(visit(Limits.STANDARD).only("broker.transactions").severity())
                    .as("it may be quite in order")
                    .isEqualTo("OK");

            List<Visit.Said> said = visit(OtherLimits.IMPATIENT).of("broker.transactions");

            assertThat(said).hasSize(2).allMatch(one -> one.severity().equals("WARNING"));
            assertThat(said).allMatch(one -> one.finding().contains("transactional id " + id));
            Operator operator = operator();
            String[] command = arguments(said.get(0).fix().replaceFirst(".*now: ", "") + " --yes");
            assertThat(operator.run(command)).as(operator.err()).isZero();
            assertThat(operator.out()).contains("shut out", "The transaction is ended.");
            assertThat(hanging.hides(events)).isFalse();
            assertThat(hanging.hides(positions)).isFalse();
            assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
        }
    }

    /**
     * @return the producer's id
     */
    private long leaveHanging(TopicPartition partition) throws Exception {
        String id = "lost-" + partition.topic();
        try (KafkaProducer<byte[], byte[]> producer = producer(id)) {
            producer.initTransactions();
        }
        return hanging.leave(id, partition, "key", "lost").producerId();
    }

    private KafkaProducer<byte[], byte[]> producer(String id) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", servers, "transactional.id", id, "transaction.timeout.ms", 600_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private Visit visit(Limits limits) {
        return Visit.of(limits, environment());
    }

    private Map<String, String> environment() {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                "POSTRIDER_KAFKA", servers,
                "POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
    }

    private Operator operator() {
        return new Operator(directory).variable("POSTRIDER_KAFKA", servers);
    }

    private static String[] arguments(String command) {
        return Stream.of(command.split(" ")).skip(1).toArray(String[]::new);
    }
}
