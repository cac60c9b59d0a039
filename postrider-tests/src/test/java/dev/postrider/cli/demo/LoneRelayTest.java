package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The relay's process has connections for as many shards as it may have to read alone. */
@Tag(Torture.ONLY)
class LoneRelayTest {
    private static final int SHARDS = 12;
    private static final int EVENTS = 200;

    private final DeliveryProof proof = new DeliveryProof();
    private final TestTopics topics = new TestTopics("lone");

    @Test
    void oneRelayReadsEveryShardOfALogExactlyOnce() throws Exception {
        topics.create("transfer-events", 3);
        OutboxLayout layout = OutboxLayout.log(SHARDS).delivering(Delivery.EXACTLY_ONCE);
        try (TestDatabase database = TestDatabase.withOutbox(layout);
                RelayFleet relays = new RelayFleet(1, environment(database), System.out::println);
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", 3),
                        IsolationLevel.READ_COMMITTED,
                        proof);
                Connection connection = database.transaction()) {
            relays.start(database.dataSource());
            consumer.start();
            Outbox outbox = Outbox.builder().build();
            for (int i = 0; i < EVENTS; i++) {
                OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                        .aggregate("account", Integer.toString(i))
                        .json("{}")
                        .build();
                proof.written(event.id(), event.messageKey(), System.nanoTime(), i, 0);
                outbox.write(connection, event);
                connection.commit();
                proof.committed(i, System.nanoTime());
            }

            await().atMost(Duration.ofMinutes(1)).until(() -> proof.missing() == 0);
            relays.stop();
            consumer.readToEnd();

            assertThat(proof.verdict().isKept()).as(proof.verdict().toString()).isTrue();
            assertThat(proof.verdict().duplicates()).isZero();
        }
    }

    private Map<String, String> environment(TestDatabase database) {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                "POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers(),
                "POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
    }
}
