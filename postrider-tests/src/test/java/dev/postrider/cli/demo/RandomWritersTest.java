package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writers that do everything a database lets them do, on few keys, while three relays read: whatever
 * they do, what committed is delivered, what did not is not, and each key is in order.
 */
@Tag(Torture.ALSO)
class RandomWritersTest {
    private final long seed = Long.getLong("postrider.seed", System.nanoTime());
    private final DeliveryProof proof = new DeliveryProof();
    private final TestTopics topics = new TestTopics("random");

    static Stream<Outbox> outboxes() {
        Stream<Outbox> everyBuild =
                Stream.of(new Outbox(TestServer.POSTGRES, OutboxLayout.log(4).delivering(Delivery.EXACTLY_ONCE), 400));
        Stream<Outbox> torture = Stream.of(
                new Outbox(TestServer.MARIADB, OutboxLayout.claim(), 150),
                new Outbox(TestServer.POSTGRES, OutboxLayout.log(4), 400),
                new Outbox(TestServer.POSTGRES, OutboxLayout.claim(), 400),
                new Outbox(TestServer.POSTGRES, OutboxLayout.log(1), 400),
                new Outbox(TestServer.POSTGRES, OutboxLayout.log(16), 400));
        return Torture.isOn() ? Stream.concat(everyBuild, torture) : everyBuild;
    }

    /**
     * @param transactions of each writer
     */
    record Outbox(TestServer server, OutboxLayout layout, int transactions) {
        TestDatabase create() {
            return server == TestServer.POSTGRES ? TestDatabase.withOutbox(layout) : TestDatabase.withOutbox(server);
        }
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void whateverWritersDoNothingIsLostInventedOrReordered(Outbox outbox) throws Exception {
        System.out.println("seed: -Dpostrider.seed=" + seed);
        topics.create("transfer-events", 3);
        List<Relay> relays = new ArrayList<>();
        try (TestDatabase database = outbox.create();
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", 3),
                        IsolationLevel.READ_COMMITTED,
                        proof)) {
            RandomWriters random = new RandomWriters(database, proof, seed);
            random.createSlowCommit();
            consumer.start();
            for (int i = 0; i < 3; i++) {
                relays.add(startRelay(database, "relay-" + i));
            }
            try (Connection stranger = database.transaction()) {
                // Has a transaction number and keeps it while everything else happens.
                RandomWriters.execute(stranger, "insert into slow_commit values (0)");
                CompletableFuture<Void> slow = CompletableFuture.runAsync(random::writeWithSlowCommit);
                List<CompletableFuture<Void>> writers = random.start(outbox.transactions());
                slow.join();
                writers.forEach(CompletableFuture::join);
                await().atMost(Duration.ofMinutes(2)).until(() -> proof.missing() == 0);
                stranger.rollback();
            }
            relays.forEach(Relay::stop);
            consumer.readToEnd();

            DeliveryProof.Verdict verdict = proof.verdict();
            System.out.println(verdict);
            assertThat(verdict.isKept()).as("seed " + seed + ": " + verdict).isTrue();
            assertThat(verdict.rolledBack()).isPositive();
            assertThat(verdict.duplicates())
                    .as("no relay died, so nothing is doubled")
                    .isZero();
        } finally {
            relays.forEach(Relay::stop);
        }
    }

    private Relay startRelay(TestDatabase database, String name) {
        Relay relay = Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                .routing(topics.routing())
                                .property("linger.ms", "0")
                                .build())
                .settings(RelaySettings.builder()
                        .name(name)
                        .batchSize(20)
                        // A machine too busy to renew a lease in time would bring duplicates into it.
                        .leaseLength(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .build())
                .build();
        relay.start();
        return relay;
    }
}
