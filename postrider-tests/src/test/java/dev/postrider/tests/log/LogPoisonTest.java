package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.cli.Operator;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.Refusals;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of a log that make no event, and dead letters that their table does not take. */
class LogPoisonTest {
    @TempDir
    private Path directory;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();
    private final AtomicInteger attempts = new AtomicInteger();
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

    @ParameterizedTest
    @ValueSource(strings = {"42501", "53100", "25006"})
    void deadLettersGoToTheFileIfTheirTableIsForbiddenFullOrReadOnly(String sqlState) throws IOException {
        Refusals.byTrigger(outbox.database(), "outbox_dead_letter", "insert", "true", sqlState);
        outbox.insert("a", 1, 2, 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");

        start(publisher);

        await().until(() -> outbox.ahead() == 0);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        assertThat(Files.readAllLines(file())).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P0001", "23514", "23505", "XX001"})
    void deadLettersGoToTheFileIfATriggerOfTheirTableRefusesThem(String sqlState) throws IOException {
        Refusals.byTrigger(outbox.database(), "outbox_dead_letter", "insert", "new.aggregate_id <> 'fine'", sqlState);
        outbox.insert("a", 1, 2, 3);
        outbox.insert("b", 4, 5, 6);
        outbox.insert("fine", 7);
        outbox.database().execute("update outbox set event_type = ' ' where id in (2, 5, 7)");

        start(publisher);

        await().until(() -> outbox.ahead() == 0);
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("1", "3", "4", "6");
        assertThat(Files.readAllLines(file())).hasSize(2);
        assertThat(outbox.database().column("select state || ' ' || outbox_id from outbox_parked order by outbox_id"))
                .containsExactly("DEAD 2", "DEAD 5");
        assertThat(outbox.database().one("select outbox_id from outbox_dead_letter"))
                .isEqualTo("7");
    }

    /** Ids began anew, and nobody has moved the old letter out of the way yet. */
    @Test
    void deadEventWhoseIdHasAnotherEventsLetterGoesToTheFileAndThatLetterStays() throws IOException {
        RecordingPublisher refusing =
                RecordingPublisher.answering(event -> event.payload().text().equals("2")
                        ? new PublishResult.Rejected("never", true)
                        : new PublishResult.Accepted());
        start(refusing);
        outbox.insert("a", 1);
        await().until(() -> refusing.acceptedBodies().contains("1"));
        outbox.database()
                .execute("insert into outbox_dead_letter (outbox_id, event_id, event_type, aggregate_type,"
                        + " aggregate_id, payload, content_type, occurred_at, created_at, attempts, error_class, reason, first_failed_at)"
                        + " select id + 1, gen_random_uuid(), event_type, aggregate_type, aggregate_id, '\"old\"', content_type,"
                        + " occurred_at, created_at, 1, 'rejected', 'long ago', now() from outbox");

        outbox.insert("a", 2, 3);

        await().until(() -> refusing.acceptedBodies().contains("3") && outbox.ahead() == 0);
        assertThat(outbox.database().one("select payload || ' ' || reason from outbox_dead_letter"))
                .isEqualTo("\"old\" long ago");
        assertThat(Files.readAllLines(file())).singleElement().asString().contains("\"payload_text\":\"2\"");
        assertThat(outbox.database().one("select state || ' ' || outbox_id from outbox_parked"))
                .isEqualTo("DEAD 2");
    }

    /** Not even the table beside the log, so that nothing but the alert and the log have it. */
    @ParameterizedTest
    @ValueSource(strings = {"outbox_dead_letter", "outbox_dead_letter, outbox_parked"})
    void deadLetterThatNeitherTableNorFileTakesIsCountedByStatusAndNamedByDoctor(String refusing) throws IOException {
        for (String table : refusing.split(", ")) {
            Refusals.byTrigger(outbox.database(), table, "insert", "true", "P0001");
        }
        Files.createDirectories(file());
        outbox.insert("a", 1, 2, 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");

        start(publisher);

        await().until(() -> outbox.ahead() == 0);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        Operator operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", outbox.database().jdbcUrl())
                .variable("POSTRIDER_DB_USER", outbox.database().user())
                .variable("POSTRIDER_DB_PASSWORD", outbox.database().password());
        operator.run("status", "--json");
        assertThat(operator.json().path("counts").path("DEAD_LETTER").asInt())
                .as(operator.out())
                .isEqualTo(1);
        operator.run("doctor");
        assertThat(operator.out()).contains("dead letter").doesNotContain("There are no dead letters");
    }

    @Test
    void damagedRowIsADeadLetterAndItsNeighboursAreDelivered() {
        String damaged = Refusals.ofDamagedRows(outbox.database());
        for (int n = 1; n <= 9; n++) {
            outbox.insert("key-" + n, n);
        }
        outbox.database().execute("update outbox set created_at = " + damaged + " where id in (1, 4, 5)");

        start(publisher);

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("2", "3", "6", "7", "8", "9");
        assertThat(outbox.database().column("select outbox_id from outbox_dead_letter order by 1"))
                .containsExactly("1", "4", "5");
    }

    @Test
    void followerThatIsDamagedWhileItWaitsIsADeadLetterAndTheOthersGoOn() {
        String damaged = Refusals.ofDamagedRows(outbox.database());
        AtomicBoolean rejecting = new AtomicBoolean(true);
        RecordingPublisher hesitating = RecordingPublisher.answering(
                event -> rejecting.get() && event.payload().text().equals("1") && attempts.incrementAndGet() > 0
                        ? new PublishResult.Rejected("no", false)
                        : new PublishResult.Accepted());
        outbox.insert("a", 1, 2, 3);
        start(hesitating);
        await().until(() -> outbox.parked() == 3);
        outbox.database().execute("update outbox set created_at = " + damaged + " where id = 2");
        // Whatever was read before is answered.
        int before = attempts.get();
        await().until(() -> attempts.get() > before + 2);
        rejecting.set(false);

        await().until(outbox::isDone);
        assertThat(hesitating.acceptedBodies()).containsExactly("1", "3");
        assertThat(outbox.database().one("select outbox_id from outbox_dead_letter"))
                .isEqualTo("2");
    }

    @Test
    void letterHasWhatCanBeReadOfARowWhosePayloadCannotBeCopied() {
        outbox.database().execute("""
                create schema damaged;
                create function damaged.md5(value text) returns text language plpgsql stable as $$
                begin
                    if value = '"damaged"' then
                        raise exception 'missing chunk number 0 for toast value 16409' using errcode = 'XX001';
                    end if;
                    return pg_catalog.md5(value);
                end $$;
                do $$ begin
                    execute format('alter database %I set search_path = damaged, pg_catalog, public', current_database());
                end $$
                """);
        outbox.database().reconnect();
        for (String table : List.of("outbox_dead_letter", "outbox_parked")) {
            Refusals.byTrigger(outbox.database(), table, "insert", "new.payload::text = '\"damaged\"'", "XX001");
        }
        outbox.database().execute(LogOutbox.insertion("a", "\"damaged\""));
        outbox.insert("b", 2);
        RecordingPublisher refusing =
                RecordingPublisher.answering(event -> event.payload().text().equals("2")
                        ? new PublishResult.Accepted()
                        : new PublishResult.Rejected(
                                "no", event.aggregateId().equals("a") && attempts.incrementAndGet() > 2));

        start(refusing);

        await().until(outbox::isDone);
        assertThat(attempts).as("it was kept beside the log as a reference").hasValue(3);
        assertThat(
                        outbox.database()
                                .one(
                                        "select aggregate_id || ' ' || (payload is null) || ' ' || reason from outbox_dead_letter"))
                .startsWith("a true no")
                .contains("unreadable: payload");
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
