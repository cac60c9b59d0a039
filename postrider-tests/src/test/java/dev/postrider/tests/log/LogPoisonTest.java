package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of a log that make no event, and dead letters that their table does not take. */
class LogPoisonTest {
    @TempDir
    private Path directory;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();
    private LogOutbox outbox;

    @BeforeEach
    void open() {
        outbox = new LogOutbox(2);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void rowChangedAfterItWasWrittenIsADeadLetterAndItsNeighboursAreDelivered() throws SQLException {
        try (Connection connection = outbox.database().transaction()) {
            Outbox.builder().build().write(connection, List.of(event("1"), event("2"), event("3")));
            connection.commit();
        }
        outbox.database().execute("update outbox set payload = '1000' where payload::text = '2'");

        start(publisher);

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        assertThat(outbox.database().one("select error_class || ' ' || payload from outbox_dead_letter"))
                .isEqualTo("integrity 1000");
        await().until(() ->
                meters.get("outbox.integrity.failure.count").counter().count() == 1);
    }

    @Test
    void rowThatMakesNoEventIsADeadLetterAndItsNeighboursAreDelivered() {
        outbox.insert("a", 1, 2, 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");

        start(publisher);

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        assertThat(outbox.database().one("select error_class || ' ' || payload from outbox_dead_letter"))
                .isEqualTo("unreadable 2");
        await().until(() -> meters.get("outbox.dlq.count").counter().count() == 1);
    }

    @Test
    void followerThatBecameUnreadableWhileItWaitedIsADeadLetterAndTheOthersGoOn() {
        AtomicBoolean rejecting = new AtomicBoolean(true);
        AtomicInteger rejected = new AtomicInteger();
        RecordingPublisher hesitating = RecordingPublisher.answering(event -> {
            if (rejecting.get() && event.payload().text().equals("1")) {
                rejected.incrementAndGet();
                return new PublishResult.Rejected("no", false);
            }
            return new PublishResult.Accepted();
        });
        outbox.insert("a", 1, 2, 3);
        start(hesitating);
        await().until(() -> outbox.parked() == 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");
        // The first of them may have been read, with its followers, before the change.
        int before = rejected.get();
        await().until(() -> rejected.get() >= before + 2);
        rejecting.set(false);

        await().until(outbox::isDone);
        assertThat(hesitating.acceptedBodies()).containsExactly("1", "3");
        assertThat(outbox.database().one("select error_class || ' ' || payload from outbox_dead_letter"))
                .isEqualTo("unreadable 2");
    }

    @Test
    void deadLettersGoToTheFileIfTheirTableIsGone() throws IOException {
        outbox.insert("a", 1, 2, 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");
        outbox.database().execute("drop table outbox_dead_letter");

        start(publisher);

        await().until(() -> outbox.ahead() == 0);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        assertThat(outbox.database().one("select state || ' ' || holds from outbox_parked"))
                .as("what tells it from one that was sent")
                .isEqualTo("DEAD false");
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).contains("\"payload_text\":\"2\"", "\"event_id\"", "\"last_error\"");
        await().until(() -> meters.get("outbox.dlq.file.count").counter().count() == 1);
    }

    private void start(RecordingPublisher destination) {
        RelayListener listener = new RelayMetrics(meters, "outbox");
        outbox.relay(
                        destination,
                        LogOutbox.settings("relay")
                                .deadLetters(new DeadLetterSettings(DeadLetterSettings.Then.CONTINUE, file())),
                        listener)
                .start();
    }

    private Path file() {
        return directory.resolve("dead.jsonl");
    }

    private static OutboxEvent event(String body) {
        return OutboxEvent.builder("acme.a.b.v1").aggregate("a", "a").json(body).build();
    }
}
