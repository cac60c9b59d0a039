package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What {@code status} says of a log, where no row says itself how it stands. */
class LogStatusTest {
    @TempDir
    private Path directory;

    private final List<Relay> started = new ArrayList<>();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private TestDatabase database;
    private Operator operator;

    @BeforeEach
    void begin() {
        database = TestDatabase.withOutbox(OutboxLayout.log(2));
        operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", DevPostgres.shared().user())
                .variable("POSTRIDER_DB_PASSWORD", DevPostgres.shared().password());
    }

    @AfterEach
    void end() {
        started.forEach(Relay::stop);
        database.close();
    }

    @Test
    void whatNoRelayHasReadIsPendingInItsShard() {
        insert("a", "now() - interval '1 hour'", null);
        insert("a", "now()", null);

        JsonNode status = status();

        assertThat(status.path("mode").asString()).isEqualTo("log");
        assertThat(status.path("shards").asInt()).isEqualTo(2);
        assertThat(status.path("delivery").asString()).isEqualTo("at-least-once");
        assertCounts(status, 2, 0, 0, 0, 0);
        assertThat(status.path("oldestUnsentSeconds").asDouble()).isBetween(3_600.0, 3_700.0);
        JsonNode behind = cursorThat(status, "2");
        assertThat(behind.path("owner").isNull()).isTrue();
        assertThat(behind.path("takeovers").asInt()).isZero();
        assertThat(behind.path("oldestSeconds").asDouble()).isBetween(3_600.0, 3_700.0);
        assertThat(cursorThat(status, "0").path("oldestSeconds").isNull()).isTrue();
    }

    @Test
    void everyEventIsCountedWhereItStands() {
        insert("good", "now()", null);
        insert("good", "now()", null);
        insert("bad", "now()", null);
        insert("bad", "now()", null);
        insert("bad", "now()", null);
        insert("hopeless", "now()", null);
        insert("later", "now()", "now() + interval '1 hour'");
        Relay relay = startRelay();

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertCounts(status(), 0, 2, 1, 2, 1));

        JsonNode status = status();
        assertThat(status.path("scheduled").asInt()).isEqualTo(1);
        assertThat(status.path("oldestUnsentSeconds").asDouble())
                .as("of the event that failed")
                .isPositive();
        assertThat(status.path("relays").path(0).path("circuit").asString()).isEqualTo("closed");
        assertThat(status.path("relays").path(0).path("shards").size()).isEqualTo(2);
        for (JsonNode cursor : status.path("cursors")) {
            assertThat(cursor.path("owner").asString()).startsWith("reader");
            assertThat(cursor.path("takeovers").asInt()).isEqualTo(1);
        }

        relay.stop();
        insert("good", "now()", null);
        assertCounts(status(), 1, 2, 1, 2, 1);
        assertThat(status().path("cursors").path(0).path("owner").isNull()).isTrue();
    }

    @Test
    void whatWasPublishedBeforeTheOutboxWasALogCounts() {
        insert("good", "now()", null);
        database.execute("update outbox set status = 'PUBLISHED', published_at = now()");

        assertCounts(status(), 0, 1, 0, 0, 0);
    }

    @Test
    void deadLetterWhoseRowIsGoneDoesNotMakeOthersUnpublished() {
        insert("good", "now()", null);
        insert("hopeless", "now()", null);
        startRelay();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertCounts(status(), 0, 1, 0, 0, 1));

        database.execute("delete from outbox where aggregate_id = 'hopeless'");

        assertCounts(status(), 0, 1, 0, 0, 1);
    }

    @Test
    void openTransactionsAreNamedByProcessAndPreparedOnesByTheirName() throws SQLException {
        try (Connection open = database.transaction();
                Connection prepared = database.transaction();
                Statement opening = open.createStatement();
                Statement preparing = prepared.createStatement()) {
            preparing.execute("select pg_current_xact_id()");
            preparing.execute("create table made (n int)");
            preparing.execute("prepare transaction 'order 17'");
            opening.execute("select pg_current_xact_id()");

            JsonNode transactions = status().path("openTransactions");

            assertThat(transactions.size()).isEqualTo(2);
            assertThat(transactions.path(0).path("gid").asString()).isEqualTo("order 17");
            assertThat(transactions.path(0).path("pid").isNull()).isTrue();
            assertThat(transactions.path(1).path("gid").isNull()).isTrue();
            assertThat(transactions.path(1).path("pid").asInt()).isPositive();
            assertThat(operator.run("status")).isZero();
            assertThat(operator.out()).contains("prepared as order 17", "server process ");
        } finally {
            database.execute("rollback prepared 'order 17'");
        }
    }

    @Test
    void rowWhoseIdHadBeenPassedIsNamedAndTheStatementThatIsSaidSendsIt() {
        deliverFive();
        database.execute("insert into outbox (id, event_type, aggregate_type, aggregate_id, payload)"
                + " overriding system value values (-7, 'acme.order.paid.v1', 'order', 'low', '{}')");

        startRelay();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> status().path("passedIds").toString().equals("[-7]"));
        assertThat(operator.run("status")).isZero();
        assertThat(operator.out()).contains("1 row has an id that had been passed when it was written");
        database.execute(fix(operator.out()));
        await().atMost(Duration.ofSeconds(30)).until(() -> sent.contains("low"));
        assertThat(status().path("passedIds").toString()).isEqualTo("[]");
    }

    @Test
    void eventsWrittenWhileTheSequenceWasSetBackAndPastItsOldEndAreNamed() {
        deliverFive();
        database.execute("delete from outbox; select setval('outbox_id_seq', 1)");
        insert("good", "now()", null);
        database.execute("select setval('outbox_id_seq', 100)");
        insert("high", "now()", null);

        startRelay();

        await().atMost(Duration.ofSeconds(30)).until(() -> sent.contains("high"));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> status().path("passedIds").toString().equals("[2]"));
        assertThat(sent).as("the sixth is not").filteredOn("good"::equals).hasSize(5);
        assertThat(operator.run("status")).isZero();
        database.execute(fix(operator.out()));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> sent.stream().filter("good"::equals).count() == 6);
    }

    @Test
    void rowWithAStatusOfClaimModeIsNamedAndTheStatementThatIsSaidSendsIt() {
        insert("good", "now()", null);
        database.execute("update outbox set status = 'PENDING'");

        assertThat(status().path("unexpectedStatus").asInt()).isEqualTo(1);

        assertThat(operator.run("status")).isZero();
        assertThat(operator.out()).contains("1 row has a status that relays in log mode do not look at");
        database.execute(fix(operator.out()));
        assertThat(status().path("unexpectedStatus").asInt()).isZero();
        startRelay();
        await().atMost(Duration.ofSeconds(30)).until(() -> sent.contains("good"));
    }

    @Test
    void shardsThatWentOnAfterAFailOverAreNamed() {
        deliverFive();
        database.execute("update outbox_cursor set timeline = 42 where shard = 1");

        startRelay();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> status().path("failOvers").size() == 1);
        JsonNode failOver = status().path("failOvers").path(0);
        assertThat(failOver.path("shard").asInt()).isEqualTo(1);
        assertThat(failOver.path("fromTimeline").asInt()).isEqualTo(42);
        assertThat(failOver.path("toTimeline").asInt()).isEqualTo(1);
        assertThat(operator.run("status")).isZero();
        assertThat(operator.out()).contains("The database failed over", "may have come twice");
    }

    /** And wait until the relay is gone, having recorded how far it has come. */
    private void deliverFive() {
        for (int i = 0; i < 5; i++) {
            insert("good", "now()", null);
        }
        Relay relay = startRelay();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertCounts(status(), 0, 5, 0, 0, 0));
        relay.stop();
    }

    private static String fix(String status) {
        String label = "To send: ";
        return status.lines()
                .filter(line -> line.startsWith(label))
                .findFirst()
                .orElseThrow()
                .substring(label.length());
    }

    private Relay startRelay() {
        RecordingPublisher publisher = RecordingPublisher.answering(event -> switch (event.aggregateId()) {
            case "bad" -> new PublishResult.Rejected("not now", false);
            case "hopeless" -> new PublishResult.Rejected("never", true);
            default -> {
                sent.add(event.aggregateId());
                yield new PublishResult.Accepted();
            }
        });
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name("reader")
                        .pollInterval(Duration.ofMillis(50))
                        .retry(new Backoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0, 5))
                        .build())
                .build();
        relay.start();
        started.add(relay);
        return relay;
    }

    private JsonNode status() {
        assertThat(operator.run("status", "--json")).as(operator.err()).isZero();
        return operator.json();
    }

    private static void assertCounts(JsonNode status, int pending, int published, int failed, int held, int dead) {
        assertThat(status.path("counts").toString())
                .isEqualTo(
                        "{\"PENDING\":%d,\"SENDING\":0,\"PUBLISHED\":%d,\"FAILED\":%d,\"HELD\":%d,\"BLOCKED\":0,\"DEAD_LETTER\":%d}"
                                .formatted(pending, published, failed, held, dead));
    }

    /** The only shard with so many events ahead. */
    private static JsonNode cursorThat(JsonNode status, String ahead) {
        List<JsonNode> found = status.path("cursors")
                .valueStream()
                .filter(cursor -> cursor.path("ahead").asString().equals(ahead))
                .toList();
        assertThat(found).as(status.toString()).hasSize(1);
        return found.get(0);
    }

    private void insert(String key, String createdAt, String dueAt) {
        database.execute(
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload, created_at, next_attempt_at)"
                        + " values ('acme.order.paid.v1', 'order', '" + key + "', '{}', " + createdAt + ", " + dueAt
                        + ")");
    }
}
