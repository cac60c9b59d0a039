package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.alter.Ledger;
import dev.postrider.tests.support.CutDataSource;
import dev.postrider.tests.support.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A shard that relays have died with. */
class CarefulRelayTest {
    private static final int MORE_THAN_DEATHS_TO_GIVE_UP = 6;
    private static final String ATTEMPTS = "select coalesce(sum(abandoned), 0) from outbox_parked";

    @Test
    void everyAttemptIsWrittenDownBeforeItIsMadeAndNothingIsSentBesideIt() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insertMany(30, 5);
            hasBeenTakenOver(outbox, 5);
            Map<String, String> attempts = new ConcurrentHashMap<>();
            RecordingPublisher publisher = RecordingPublisher.answering(event -> {
                attempts.put(event.payload().text(), outbox.database().one(ATTEMPTS));
                return new PublishResult.Accepted();
            });

            outbox.start(publisher, LogOutbox.settings("relay").batchSize(10).leaseLength(Duration.ofSeconds(3)));

            await().until(() -> publisher.accepted().size() == 30 && outbox.isDone());
            for (String suspect : bodies(16)) {
                assertThat(attempts.get(suspect)).as(suspect).isEqualTo("1");
            }
            assertThat(attempts.values())
                    .as("as many as were in hand, at least sixteen")
                    .filteredOn("1"::equals)
                    .hasSize(16);
            for (int key = 0; key < 5; key++) {
                int remainder = key;
                assertThat(publisher.acceptedBodies())
                        .filteredOn(body -> Integer.parseInt(body) % 5 == remainder)
                        .isSortedAccordingTo(Comparator.comparing(Integer::parseInt));
            }
            await("then it is read as usual again")
                    .until(() -> outbox.database()
                            .one("select takeovers from outbox_lease where name = 'shard/0'")
                            .equals("0"));
        }
    }

    @Test
    void eventsOfRelaysThatWereKilledAreSentInFewBatches() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insertMany(1600, 50);
            hasBeenTakenOver(outbox, 1);
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            Relay relay = outbox.relay(publisher, LogOutbox.settings("relay").batchSize(1600), new RelayListener() {});
            List<Integer> batches = new ArrayList<>();

            await().until(() -> {
                int fetched = relay.runOnce().fetched();
                if (fetched > 0) {
                    batches.add(fetched);
                }
                return outbox.isDone();
            });

            assertThat(batches).hasSizeLessThanOrEqualTo(20);
            assertThat(batches.get(0)).as("a sixteenth").isEqualTo(100);
            assertThat(publisher.acceptedBodies()).isEqualTo(bodies(1600));
        }
    }

    @Test
    void eventThatCameBackFromAnAttemptAloneIsNotCountedAsADeath() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1);
            hasBeenTakenOver(outbox, 5);
            AtomicBoolean stopped = new AtomicBoolean(true);
            RecordingPublisher publisher = RecordingPublisher.answering(
                    event -> stopped.get() ? new PublishResult.Unresolved() : new PublishResult.Accepted());

            outbox.start(publisher, LogOutbox.settings("relay"));

            await().until(() -> outbox.database()
                    .one("select count(*) from outbox_parked where abandoned = 0")
                    .equals("1"));
            stopped.set(false);
            await().until(outbox::isDone);
        }
    }

    @Test
    void attemptDuringWhichTheConnectionWasLostIsNotCountedAsADeath() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1);
            hasBeenTakenOver(outbox, 5);
            CutDataSource wire = new CutDataSource(outbox.database().dataSource());
            AtomicInteger attempts = new AtomicInteger();
            RecordingPublisher publisher = RecordingPublisher.answering(event -> {
                if (attempts.incrementAndGet() <= MORE_THAN_DEATHS_TO_GIVE_UP) {
                    cutForAMoment(wire);
                }
                return new PublishResult.Accepted();
            });

            try (Relay relay = Relay.builder(wire.dataSource(), publisher)
                    .settings(LogOutbox.settings("relay").build())
                    .build()) {
                relay.start();

                await().until(outbox::isDone);
            }
            assertThat(dead(outbox.database())).isEqualTo("0");
        }
    }

    @Test
    void attemptOfWhichNobodyKnowsWhetherItWasCommittedIsNotCountedAsADeath() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE))) {
            database.execute(LogOutbox.insertion("a", "1"));
            hasBeenTakenOver(database, 5);
            List<OutboxEvent> committed = new CopyOnWriteArrayList<>();
            Ledger ledger = new Ledger(committed::add);
            AtomicInteger attempts = new AtomicInteger();
            ledger.answer(event -> {
                if (attempts.incrementAndGet() <= MORE_THAN_DEATHS_TO_GIVE_UP) {
                    ledger.commits(Ledger.Commits.LOST);
                }
                return new PublishResult.Accepted();
            });

            try (Relay relay = Relay.builder(database.dataSource(), ledger)
                    .settings(LogOutbox.settings("relay").build())
                    .build()) {
                relay.start();
                await().until(() -> {
                    if (!ledger.isReachable()) {
                        ledger.repair();
                    }
                    return !committed.isEmpty() || !dead(database).equals("0");
                });
            }
            assertThat(dead(database)).isEqualTo("0");
            assertThat(committed).hasSize(1);
        }
    }

    private static String dead(TestDatabase database) {
        return database.one("select count(*) from outbox_dead_letter");
    }

    private static void cutForAMoment(CutDataSource wire) {
        try {
            wire.cut();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        wire.mend();
    }

    /** Its last owner has died too, and its lease has run out. */
    private static void hasBeenTakenOver(LogOutbox outbox, int takeovers) {
        hasBeenTakenOver(outbox.database(), takeovers);
    }

    private static void hasBeenTakenOver(TestDatabase database, int takeovers) {
        database.execute("insert into outbox_lease (name, owner, expires_at, takeovers)"
                + " values ('shard/0', 'dead', clock_timestamp() - interval '1 second', " + takeovers + ")");
    }

    private static List<String> bodies(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(Integer::toString).toList();
    }
}
