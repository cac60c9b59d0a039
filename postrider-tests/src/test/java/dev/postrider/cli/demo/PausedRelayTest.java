package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A relay of its own process that stands still for longer than its lease, and goes on as if nothing had been. */
@Tag(Torture.ONLY)
class PausedRelayTest {
    private final DeliveryProof proof = new DeliveryProof();
    private final TestTopics topics = new TestTopics("paused");
    private long transactions;

    @Test
    void othersTakeTheShardsOfAPausedRelayAndNothingIsLostOrReorderedWhenItGoesOn() throws Exception {
        topics.create("transfer-events", 3);
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2));
                RelayFleet relays = new RelayFleet(2, environment(database), System.out::println);
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", 3),
                        IsolationLevel.READ_COMMITTED,
                        proof)) {
            relays.start(database.dataSource());
            consumer.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> owners(database).equals("relay-1 relay-2"));
            write(database, 50);
            await().atMost(Duration.ofMinutes(1)).until(() -> proof.missing() == 0);

            CompletableFuture<Boolean> pause = CompletableFuture.supplyAsync(() -> pause(relays));
            await().atMost(Duration.ofMinutes(1)).until(() -> owners(database).equals("relay-2 relay-2"));
            write(database, 50);
            await().atMost(Duration.ofMinutes(1)).until(() -> proof.missing() == 0);
            assertThat(pause.isDone()).as("it still stands").isFalse();
            assertThat(pause.join()).isTrue();
            await().atMost(Duration.ofMinutes(1)).until(() -> owners(database).equals("relay-1 relay-2"));
            write(database, 50);
            await().atMost(Duration.ofMinutes(1)).until(() -> proof.missing() == 0);
            relays.stop();
            consumer.readToEnd();

            assertThat(proof.verdict().isKept()).as(proof.verdict().toString()).isTrue();
        }
    }

    private static boolean pause(RelayFleet relays) {
        try {
            return relays.pause("relay-1", Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Of the shards, without what makes their names unique. */
    private static String owners(TestDatabase database) {
        return String.join(
                " ",
                database.column("select split_part(owner, '#', 1) as relay from outbox_lease"
                        + " where name like 'shard/%' and expires_at > now() order by 1"));
    }

    private Map<String, String> environment(TestDatabase database) {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                "POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers(),
                "POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
    }

    private void write(TestDatabase database, int events) throws SQLException {
        Outbox outbox = Outbox.builder().build();
        try (Connection connection = database.transaction()) {
            for (int i = 0; i < events; i++) {
                OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                        .aggregate("account", Integer.toString(i % 10))
                        .json("{}")
                        .build();
                long tx = transactions++;
                proof.written(event.id(), event.messageKey(), System.nanoTime(), tx, 0);
                outbox.write(connection, event);
                connection.commit();
                proof.committed(tx, System.nanoTime());
            }
        }
    }
}
