package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A shard that relays have died with. */
class CarefulRelayTest {
    private static final String ATTEMPTS = "select coalesce(sum(abandoned), 0) from outbox_parked";

    @Test
    void everyAttemptIsWrittenDownBeforeItIsMadeAndNothingIsSentBesideIt() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insertMany(30, 5);
            // Its last owner has died too, and the lease is about to run out when the next relay has begun.
            outbox.database()
                    .execute("insert into outbox_lease (name, owner, expires_at, takeovers)"
                            + " values ('shard/0', 'dead', clock_timestamp() + interval '1 second', 5)");
            List<String> attempts = new CopyOnWriteArrayList<>();
            RecordingPublisher publisher = RecordingPublisher.answering(event -> {
                attempts.add(outbox.database().one(ATTEMPTS));
                return new PublishResult.Accepted();
            });

            outbox.start(publisher, LogOutbox.settings("relay").batchSize(10).leaseLength(Duration.ofSeconds(3)));

            await().until(() -> publisher.accepted().size() == 30 && outbox.isDone());
            assertThat(attempts.subList(0, 20))
                    .as("two batches are sent with care")
                    .containsOnly("1");
            assertThat(publisher.acceptedBodies()).isEqualTo(bodies(30));
            await("then it is read as usual again")
                    .until(() -> outbox.database()
                            .one("select takeovers from outbox_lease where name = 'shard/0'")
                            .equals("0"));
        }
    }

    private static List<String> bodies(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(Integer::toString).toList();
    }
}
