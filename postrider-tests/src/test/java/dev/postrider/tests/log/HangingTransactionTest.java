package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.HangingTransactions;
import dev.postrider.tests.support.HangingTransactions.Hanging;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Exactly once, and a broker that has left the transaction of a batch hanging. */
class HangingTransactionTest {
    private final TestTopics topics = new TestTopics("left");
    private final String servers = DevKafka.shared().bootstrapServers();
    private final HangingTransactions hanging = new HangingTransactions(servers);
    private final TopicPartition events = topics.partitions("order-events", 1).get(0);
    private TestDatabase database;
    private TopicPartition positions;
    private String transactionalId;

    @BeforeEach
    void create() throws Exception {
        topics.create("order-events", 1);
        database = TestDatabase.withOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE));
        String id = database.one("select value from outbox_settings where name = 'outbox_id'");
        positions = new TopicPartition("postrider-positions-" + id, 0);
        transactionalId = "postrider-" + id + "-0";
    }

    @AfterEach
    void close() {
        database.close();
        hanging.close();
    }

    @Test
    void batchThatHangsIsUndoneAndDeliveredOnce() throws Exception {
        write("1");
        deliver("first");
        write("2");
        Hanging lost = hanging.leave(transactionalId, events, "7", "2");
        hanging.leave(
                transactionalId,
                positions,
                "position",
                read(positions).get(0).value(),
                new RecordHeader(
                        "witnesses",
                        (events.topic() + " 0 " + lost.offset() + " " + lost.timestamp())
                                .getBytes(StandardCharsets.UTF_8)));

        assertRelayGoesOnWith("3");
    }

    @Test
    void batchWhoseEventsWereCommittedIsNotDeliveredAgain() throws Exception {
        write("1");
        deliver("first");
        write("2");
        deliver("second");
        List<ConsumerRecord<String, String>> written = read(positions);
        int last = written.size() - 1;
        while (written.get(last).headers().lastHeader("witnesses").value().length == 0) {
            last--;
        }
        ConsumerRecord<String, String> before = written.get(last - 1);
        ConsumerRecord<String, String> delivered = written.get(last);
        makePositionsAnew();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers), new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(positions.topic(), 0, before.key(), before.value()))
                    .get();
        }
        hanging.leave(
                transactionalId,
                positions,
                delivered.key(),
                delivered.value(),
                delivered.headers().toArray());

        assertRelayGoesOnWith("3");
    }

    private void assertRelayGoesOnWith(String next) throws Exception {
        write(next);
        try (Relay relay = relay("heir")) {
            relay.start();
            await().until(() -> !hanging.hides(positions)
                    && !hanging.hides(events)
                    && delivered().contains(next));
        }
        assertThat(delivered()).containsExactly("1", "2", "3");
    }

    private void makePositionsAnew() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.deleteTopics(List.of(positions.topic())).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(positions.topic()));
            NewTopic anew = new NewTopic(positions.topic(), 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
            admin.createTopics(List.of(anew)).all().get();
        }
    }

    private void deliver(String name) {
        try (Relay relay = relay(name)) {
            relay.runOnce();
        }
    }

    private Relay relay(String name) {
        return Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(servers)
                                .routing(topics.routing())
                                .build())
                .settings(RelaySettings.builder().name(name).build())
                .build();
    }

    private List<String> delivered() {
        return read(events).stream().map(ConsumerRecord::value).toList();
    }

    private List<ConsumerRecord<String, String>> read(TopicPartition partition) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", servers, "isolation.level", "read_committed", "auto.offset.reset", "earliest");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    private void write(String body) throws SQLException {
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
