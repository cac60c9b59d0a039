package dev.postrider.tests.alter;

import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.demo.DeliveryProof;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.internal.write.UuidV7;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Writers on few keys that never rest, and relays that come and go. */
final class BusyOutbox implements AutoCloseable {
    private static final int KEYS = 5;
    private static final int WRITERS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    final DeliveryProof proof = new DeliveryProof();
    final long seed = Long.getLong("postrider.seed", System.nanoTime());

    private final TestDatabase database;
    private final Outbox outbox = Outbox.builder().build();
    private final AtomicLong transactions = new AtomicLong();
    private final List<CompletableFuture<Void>> writers = new ArrayList<>();
    private final List<Relay> relays = new ArrayList<>();
    private volatile boolean resting;

    BusyOutbox(TestDatabase database) {
        this.database = database;
        System.out.println("seed: -Dpostrider.seed=" + seed);
    }

    void startWriters() {
        for (int i = 0; i < WRITERS; i++) {
            Random random = new Random(seed + i);
            writers.add(CompletableFuture.runAsync(() -> writeUntilRest(random), task -> new Thread(task).start()));
        }
    }

    void startRelays(int number) {
        startRelays(number, RecordingPublisher.answering(event -> {
            proof.received(event.id(), System.nanoTime());
            return new PublishResult.Accepted();
        }));
    }

    void startRelays(int number, Publisher publisher) {
        for (int i = 0; i < number; i++) {
            relays.add(relay(database, "relay-" + i, publisher));
        }
        relays.forEach(Relay::start);
    }

    static Relay relay(TestDatabase database, String name, Publisher publisher) {
        return Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name(name)
                        .batchSize(20)
                        .transactionSize(20)
                        // A machine too busy to renew a lease in time would bring duplicates into it.
                        .leaseLength(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .retry(new Backoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0, 5))
                        .deadLetters(new DeadLetterSettings(
                                DeadLetterSettings.Then.HOLD_KEY, Path.of("target", "dead-letters.jsonl")))
                        .build())
                .build();
    }

    void stopRelays() {
        relays.forEach(Relay::stop);
        relays.clear();
    }

    /** Until so many more events have been committed. */
    void letWriters(int more) {
        long goal = proof.committedEvents() + more;
        awaitThat(() -> proof.committedEvents() >= goal);
    }

    /** Until so many more events have been delivered. */
    void letRelays(int more) {
        long goal = proof.receivedEvents() + more;
        awaitThat(() -> proof.receivedEvents() >= goal);
    }

    DeliveryProof.Verdict finish() {
        resting = true;
        writers.forEach(CompletableFuture::join);
        awaitThat(() -> proof.missing() == 0);
        stopRelays();
        DeliveryProof.Verdict verdict = proof.verdict();
        System.out.println(verdict);
        return verdict;
    }

    private void awaitThat(java.util.concurrent.Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(() -> {
            writers.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
            return condition.call();
        });
    }

    private void writeUntilRest(Random random) {
        try (Connection connection = database.transaction()) {
            while (!resting) {
                write(connection, random);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void write(Connection connection, Random random) throws SQLException {
        if (random.nextInt(4) == 0) {
            // A transaction number long before the event is written.
            dawdle(connection, "select pg_current_xact_id(), pg_sleep(0.02)");
        }
        long tx = transactions.incrementAndGet();
        int events = 1 + random.nextInt(3);
        for (int index = 0; index < events; index++) {
            OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                    .id(UuidV7.next())
                    .aggregate("account", Integer.toString(random.nextInt(KEYS)))
                    .json("{}")
                    .build();
            proof.written(event.id(), event.messageKey(), System.nanoTime(), tx, index);
            outbox.write(connection, event);
            dawdle(connection, "select pg_sleep(" + random.nextInt(15) / 1000.0 + ")");
        }
        if (random.nextInt(10) == 0) {
            connection.rollback();
            proof.rolledBack(tx);
        } else {
            connection.commit();
            proof.committed(tx, System.nanoTime());
        }
    }

    private static void dawdle(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A destination that remembers what it took, and answers as the test says. */
    static RecordingPublisher answering(Function<String, PublishResult> script) {
        return RecordingPublisher.answering(
                event -> script.apply(event.payload().text()));
    }

    @Override
    public void close() {
        resting = true;
        relays.forEach(Relay::stop);
        writers.forEach(writer -> writer.exceptionally(error -> null).join());
        database.close();
    }
}
