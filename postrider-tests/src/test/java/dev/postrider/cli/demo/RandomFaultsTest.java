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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;

/**
 * Relays as processes that are killed, paused for longer than their leases, stopped and started again at random, and a
 * broker that is killed now and then, while events are written. The number of faults is {@code -Dpostrider.faults}.
 */
class RandomFaultsTest {
    private static final int SHARDS = 4;
    private static final int KEYS = 50;
    private static final int PARTITIONS = 6;
    private static final int FAULTS = Integer.getInteger("postrider.faults", 30);

    /** So many events are written between two faults. */
    private static final int EVENTS_PER_FAULT = 60;

    private static final int BROKER_FAULTS = Math.max(2, FAULTS / 20);

    private final long seed = Long.getLong("postrider.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final DeliveryProof proof = new DeliveryProof();
    private final TestTopics topics = new TestTopics("faults");
    private final List<CompletableFuture<?>> pauses = new ArrayList<>();
    private volatile boolean faultsOver;

    @Test
    void exactlyOnceIsOnceWhateverIsKilledOrPaused() throws Exception {
        DeliveryProof.Verdict verdict =
                survive(OutboxLayout.log(SHARDS).delivering(Delivery.EXACTLY_ONCE), 3, FAULTS, true);

        assertThat(verdict.isKept()).as("seed " + seed + ": " + verdict).isTrue();
        assertThat(verdict.duplicates()).as("seed " + seed + ": " + verdict).isZero();
    }

    @Test
    void fiveRelaysThatComeAndGoLoseAndReorderNothing() throws Exception {
        DeliveryProof.Verdict verdict = survive(OutboxLayout.log(SHARDS), 5, FAULTS / 2, false);

        assertThat(verdict.isKept()).as("seed " + seed + ": " + verdict).isTrue();
    }

    private DeliveryProof.Verdict survive(OutboxLayout layout, int relayCount, int faults, boolean brokerToo)
            throws Exception {
        System.out.println("seed: -Dpostrider.seed=" + seed);
        topics.create("transfer-events", PARTITIONS);
        try (TestDatabase database = TestDatabase.withOutbox(layout);
                RelayFleet relays = new RelayFleet(relayCount, environment(database), System.out::println);
                EventConsumer consumer = new EventConsumer(
                        DevKafka.shared().bootstrapServers(),
                        topics.partitions("transfer-events", PARTITIONS),
                        IsolationLevel.READ_COMMITTED,
                        proof)) {
            relays.start(database.dataSource());
            consumer.start();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(database));
            for (int fault = 0; fault < faults; fault++) {
                long until = proof.committedEvents() + EVENTS_PER_FAULT;
                await().atMost(Duration.ofMinutes(1)).until(() -> proof.committedEvents() >= until || writer.isDone());
                boolean broker = brokerToo && fault % (faults / BROKER_FAULTS) == 1;
                if (broker) {
                    DevKafka.shared().kill();
                    DevKafka.shared().restart();
                } else {
                    harm(relays.get(random.nextInt(relayCount)));
                }
            }
            faultsOver = true;
            writer.join();
            pauses.forEach(CompletableFuture::join);
            await().atMost(Duration.ofMinutes(3)).until(() -> proof.missing() == 0);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(shardsPerRelay(database))
                            .hasSize(Math.min(relayCount, SHARDS))
                            .allMatch(shards -> shards == SHARDS / relayCount || shards == SHARDS / relayCount + 1));
            relays.stop();
            consumer.readToEnd();
            assertThat(database.column("""
                            select shard || ': ' || string_agg(distinct owner, ', ')
                            from (select *, count(*) filter (where fence) over (partition by shard order by seq) as reign
                                  from outbox_cursor) c
                            group by shard, reign
                            having count(distinct owner) > 1
                            """)).as("one owner between two fences").isEmpty();
            System.out.println(proof.verdict());
            return proof.verdict();
        }
    }

    private void harm(RelayProcess relay) throws InterruptedException {
        switch (random.nextInt(4)) {
            case 0, 1 -> {
                relay.kill();
                relay.start();
            }
            case 2 -> {
                relay.stop();
                relay.start();
            }
            default -> pauses.add(CompletableFuture.runAsync(() -> pause(relay)));
        }
    }

    private static void pause(RelayProcess relay) {
        try {
            relay.pause(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Integer> shardsPerRelay(TestDatabase database) {
        return database
                .column(
                        "select count(*) from outbox_lease where name like 'shard/%' and expires_at > now() group by owner")
                .stream()
                .map(Integer::valueOf)
                .toList();
    }

    private Map<String, String> environment(TestDatabase database) {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password(),
                "POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers(),
                "POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix(),
                "POSTRIDER_RELAY_LEASE_LENGTH", "2s",
                "POSTRIDER_RELAY_CIRCUIT_OPEN_FOR", "1s");
    }

    private void write(TestDatabase database) {
        Outbox outbox = Outbox.builder().build();
        Random keys = new Random(seed);
        try (Connection connection = database.transaction()) {
            for (long tx = 0; !faultsOver; tx++) {
                for (int index = 0; index < 3; index++) {
                    OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                            .aggregate("account", Integer.toString(keys.nextInt(KEYS)))
                            .json("{\"tx\": " + tx + "}")
                            .build();
                    proof.written(event.id(), event.messageKey(), System.nanoTime(), tx, index);
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
