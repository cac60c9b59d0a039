package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.alter.Ledger;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Exactly once without what it takes. */
class LostPositionsTest {
    private static final OutboxLayout LAYOUT = OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE);

    private final TestTopics topics = new TestTopics("lost");

    @Test
    void withoutItsPositionsNothingIsSentRatherThanDoubled() throws Exception {
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            losePositions(database);
            write(database, "2");

            try (Relay relay = relay(database, "second")) {
                assertThatThrownBy(relay::runOnce)
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("the topic with the positions was deleted")
                        .hasMessageContaining("postrider alter --delivery at-least-once");
            }

            assertThat(delivered()).containsExactly("1");
        }
    }

    /** As a broker leaves it that has lost the end of a partition: what the database knows was acknowledged. */
    @Test
    void positionThatIsOlderThanWhatTheDatabaseKnowsIsRefused() throws Exception {
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            try (Relay relay = relay(database, "first")) {
                for (String body : List.of("1", "2", "3")) {
                    write(database, body);
                    relay.runOnce();
                }
            }
            assertThat(delivered()).containsExactly("1", "2", "3");
            String shard = database.one("select shard from outbox_cursor order by batch desc limit 1");
            repeatFirstPosition(positionsOf(database), Integer.parseInt(shard));
            write(database, "4");

            try (Relay relay = relay(database, "second")) {
                assertThatThrownBy(relay::runOnce)
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("has lost what it had acknowledged")
                        .hasMessageContaining("postrider alter --delivery at-least-once");
            }

            assertThat(delivered()).containsExactly("1", "2", "3");
        }
    }

    private static void repeatFirstPosition(String topic, int shard) throws Exception {
        TopicPartition partition = new TopicPartition(topic, shard);
        Map<String, Object> brokers =
                Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers());
        try (KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(brokers, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(brokers, new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(read::add);
                return !read.isEmpty();
            });
            ConsumerRecord<byte[], byte[]> first = read.get(0);
            producer.send(new ProducerRecord<>(topic, shard, first.key(), first.value(), first.headers()))
                    .get();
        }
    }

    private static String positionsOf(TestDatabase database) {
        return "postrider-positions-" + database.one("select value from outbox_settings where name = 'outbox_id'");
    }

    /** Each try leaves a row in the history of the cursor. */
    @Test
    void shardWithoutItsPositionsIsTriedMoreAndMoreSeldomAndThatIsSaidOnce() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            losePositions(database);
            String shard = database.one("select shard from outbox_cursor where batch > 0 limit 1");
            String tries = "from outbox_cursor where shard = " + shard + " and fence and owner like 'persistent#%'";
            System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
            try (Relay relay = relay(database, "persistent")) {
                relay.start();
                await().until(() -> Integer.parseInt(database.one("select count(*) " + tries)) >= 3);
            } finally {
                System.setErr(before);
            }

            assertThat(database.column(
                            "select at - lag(at) over (order by seq) > (row_number() over (order by seq) - 1)"
                                    + " * interval '1 s' " + tries + " order by seq offset 1 limit 2"))
                    .as("after one second, then after two: %s", written)
                    .containsExactly("t", "t");
        }
        assertThat(written.toString(StandardCharsets.UTF_8).split("the topic with the positions was deleted", -1))
                .hasSize(2);
    }

    @Test
    void destinationThatCannotBeReachedLeavesOneRowOfEachShardInTheHistory() throws Exception {
        List<OutboxEvent> received = new CopyOnWriteArrayList<>();
        Ledger ledger = new Ledger(received::add);
        ledger.breakDown();
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT);
                Relay relay = Relay.builder(database.dataSource(), ledger).build()) {
            relay.start();
            await().until(() -> ledger.unreachableFor() >= 6);

            assertThat(
                            database.one(
                                    "select max(n) from (select count(*) as n from outbox_cursor where fence group by shard) f"))
                    .isEqualTo("1");

            ledger.repair();
            write(database, "1");
            await().until(() -> received.size() == 1);
        }
    }

    private void losePositions(TestDatabase database) throws Exception {
        topics.create("order-events", 1);
        write(database, "1");
        try (Relay relay = relay(database, "first")) {
            relay.runOnce();
        }
        assertThat(delivered()).containsExactly("1");
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
            String positions = positionsOf(database);
            admin.deleteTopics(List.of(positions)).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(positions));
        }
    }

    @Test
    void destinationWithoutTransactionsIsRefused() {
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT);
                Relay relay = Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                        .build()) {
            assertThatThrownBy(relay::start)
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("delivers exactly once")
                    .hasMessageContaining("RecordingPublisher");
        }
    }

    private Relay relay(TestDatabase database, String name) {
        return Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                .routing(topics.routing())
                                .build())
                .settings(RelaySettings.builder().name(name).build())
                .build();
    }

    private List<String> delivered() {
        return CommittedRecords.byKey(topics.partitions("order-events", 1)).getOrDefault("7", List.of());
    }

    private static void write(TestDatabase database, String body) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", "7")
                                    .json(body)
                                    .build());
            connection.commit();
        }
    }
}
