package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A shard that relays have died with. */
class CarefulRelayTest {
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

    /** Its last owner has died too, and its lease has run out. */
    private static void hasBeenTakenOver(LogOutbox outbox, int takeovers) {
        outbox.database()
                .execute("insert into outbox_lease (name, owner, expires_at, takeovers)"
                        + " values ('shard/0', 'dead', clock_timestamp() - interval '1 second', " + takeovers + ")");
    }

    private static List<String> bodies(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(Integer::toString).toList();
    }
}
