package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Relays as processes of their own that die without warning. */
@Tag(Torture.ONLY)
class KilledRelaysTest {
    private static final int KEYS = 500;
    private static final int RELAYS = 3;
    private static final int EVENTS_PER_KILL = 1_000;
    private static final int BATCH = 100;

    /** The batch in flight and the one fetched meanwhile. */
    private static final int IN_FLIGHT = 2 * BATCH;

    private final long seed = Long.getLong("postrider.seed", System.nanoTime());
    private final DeliveryProof proof = new DeliveryProof();
    private final TestTopics topics = new TestTopics("killed");
    private final Semaphore killed = new Semaphore(0);

    @ParameterizedTest
    @CsvSource({"POSTGRES, 10", "MARIADB, 4"})
    void nothingIsLostOrReorderedWhenRelaysAreKilled(TestServer server, int kills) throws Exception {
        System.out.println("seed: -Dpostrider.seed=" + seed);
        Random random = new Random(seed);
        topics.create("transfer-events", 12);
        try (TestDatabase database = TestDatabase.withOutbox(server);
                RelayFleet relays = new RelayFleet(RELAYS, environment(database), System.out::println);
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", 12),
                        IsolationLevel.READ_UNCOMMITTED,
                        proof)) {
            relays.start(database.dataSource());
            consumer.start();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(database, kills * EVENTS_PER_KILL));

            for (int kill = 0; kill < kills; kill++) {
                long until = (long) kill * EVENTS_PER_KILL + random.nextInt(EVENTS_PER_KILL);
                await().atMost(Duration.ofMinutes(1)).until(() -> proof.committedEvents() >= until);
                String relay = relays.names().get(random.nextInt(RELAYS));
                relays.kill(relay);
                relays.startAgain(relay);
                killed.release();
            }
            writer.join();
            await().atMost(Duration.ofMinutes(2)).until(() -> proof.missing() == 0);
            relays.stop();
            consumer.readToEnd();

            DeliveryProof.Verdict verdict = proof.verdict();
            System.out.println(verdict);
            assertThat(verdict.written()).isEqualTo(kills * EVENTS_PER_KILL);
            assertThat(verdict.isKept()).as("seed " + seed + ": " + verdict).isTrue();
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((long) kills * IN_FLIGHT);
            assertThat(database.column("select distinct status from outbox")).containsExactly("PUBLISHED");
        }
    }

    private Map<String, String> environment(TestDatabase database) {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", database.user(),
                "POSTRIDER_DB_PASSWORD", database.password(),
                "POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers(),
                "POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix(),
                "POSTRIDER_RELAY_BATCH_SIZE", Integer.toString(BATCH));
    }

    /** Five events a transaction; waits for a relay to be killed before it goes on with the next part. */
    private void write(TestDatabase database, int events) {
        Outbox outbox = Outbox.builder().build();
        Random random = new Random(seed);
        try (Connection connection = database.transaction()) {
            for (int tx = 0; tx < events / 5; tx++) {
                if (tx > 0 && tx * 5 % EVENTS_PER_KILL == 0) {
                    killed.acquireUninterruptibly();
                }
                for (int i = 0; i < 5; i++) {
                    OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                            .aggregate("account", Integer.toString(random.nextInt(KEYS)))
                            .json("{\"n\":" + (tx * 5 + i) + "}")
                            .build();
                    proof.written(event.id(), event.messageKey(), System.nanoTime(), tx, i);
                    outbox.write(connection, event);
                }
                connection.commit();
                proof.committed(tx, System.nanoTime());
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
