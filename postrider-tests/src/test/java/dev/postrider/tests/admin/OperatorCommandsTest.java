package dev.postrider.tests.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The operators' commands, typed in, on a real database. */
class OperatorCommandsTest {
    private static TestDatabase database;

    @TempDir
    private Path directory;

    private Operator operator;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void begin() {
        database.execute(
                "truncate outbox, outbox_dead_letter, outbox_audit restart identity;" + " truncate outbox_lease");
        operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", DevPostgres.shared().user())
                .variable("POSTRIDER_DB_PASSWORD", DevPostgres.shared().password());
    }

    @Test
    void listIsAnAlignedTableWithoutPayloads() {
        insert("1", "s3cret");
        insert("22", "s3cret");
        bury();
        database.execute("update outbox_dead_letter set died_at = '2026-03-01 12:00:00Z',"
                + " reason = E'it\\nis \\x1b[31m' || repeat('very ', 20) || 'bad'");

        assertThat(operator.run("dead", "list")).isZero();

        assertThat(operator.out().lines())
                .containsExactly(
                        "  ID  DIED                  TYPE                AGGREGATE  ATTEMPTS  ERROR CLASS  REASON",
                        "   2  2026-03-01T12:00:00Z  acme.order.paid.v1  order/22          1  Poison       it is"
                                + "  [31mvery very very very very very very very very v...",
                        "   1  2026-03-01T12:00:00Z  acme.order.paid.v1  order/1           1  Poison       it is"
                                + "  [31mvery very very very very very very very very v...");

        assertThat(operator.run("dead", "list", "--limit", "1")).isZero();
        assertThat(operator.out()).contains("These are 1 of 2 dead letters; --limit shows more.");
        assertThat(operator.run("dead", "list", "--since", "2h")).isZero();
        assertThat(operator.out()).isEqualTo("No dead letter is like that." + System.lineSeparator());
    }

    @Test
    void listAsJsonHasTheTotalAndAllFields() {
        insert("1", "s3cret");
        bury();

        assertThat(operator.run("dead", "list", "--aggregate", "order/1", "--json"))
                .isZero();

        JsonNode object = operator.json();
        assertThat(object.path("total").intValue()).isEqualTo(1);
        JsonNode letter = object.path("deadLetters").path(0);
        assertThat(letter.path("id").intValue()).isEqualTo(1);
        assertThat(letter.path("errorClass").stringValue()).isEqualTo("Poison");
        assertThat(letter.path("row").stringValue()).isEqualTo("DEAD_LETTER");
        assertThat(operator.out()).doesNotContain("s3cret");
    }

    @Test
    void showIsEverythingWithThePayload() {
        insert("1", "s3cret");
        bury();

        assertThat(operator.run("dead", "show", "1")).isZero();
        assertThat(operator.out())
                .contains("Dead letter 1", "order/1", "it is bad", "\"s3cret bad\"")
                .contains("row           DEAD_LETTER");

        assertThat(operator.run("dead", "show", "1", "--json")).isZero();
        assertThat(operator.json().path("payload").stringValue()).isEqualTo("\"s3cret bad\"");

        assertThat(operator.run("dead", "show", "2")).isEqualTo(1);
        assertThat(operator.err()).isEqualTo("postrider: There is no dead letter 2 in outbox outbox." + eol());
    }

    @Test
    void outboxIsPausedAndResumedAndEverybodyIsTold() {
        assertThat(operator.run("pause", "--reason", "consumers move", "--as", "alice"))
                .isZero();
        assertThat(operator.out()).startsWith("Outbox outbox is paused by alice since ");
        assertThat(operator.run("pause", "--reason", "no reason", "--as", "bob"))
                .isZero();
        assertThat(operator.out())
                .startsWith("Outbox outbox was paused already, by alice since ")
                .contains("consumers move");
        assertThat(operator.run("status")).isZero();
        assertThat(operator.out()).contains("Paused by alice since ", ": consumers move." + eol());
        operator.run("doctor", "--json");
        assertThat(operator.out())
                .contains("The outbox is paused by alice since ", ": consumers move. Relays send nothing.");

        assertThat(operator.run("resume", "--as", "bob", "--json")).isZero();
        assertThat(operator.json().path("paused").path("by").stringValue()).isEqualTo("alice");
        assertThat(operator.run("resume")).isZero();
        assertThat(operator.out()).startsWith("Outbox outbox is not paused.");
        assertThat(operator.run("pause")).isEqualTo(2);
        assertThat(operator.err()).contains("--reason");
        assertThat(operator.run("pause", "--reason", " ")).isEqualTo(1);
        assertThat(operator.err()).contains("A reason is required");
        assertThat(database.column("select action || ' ' || actor from outbox_audit order by id"))
                .containsExactly("pause alice", "resume bob");
    }

    @Test
    void retryAsksWithTheNumberAndDoesNothingWithoutAYes() {
        insert("1", "x");
        insert("2", "x");
        bury();

        assertThat(operator.answering("n").run("dead", "retry", "--all")).isZero();
        assertThat(operator.questions()).containsExactly("Send 2 dead letters again? [y/N] ");
        assertThat(operator.out()).isEqualTo("Nothing was changed." + eol());
        assertThat(states()).containsExactly("DEAD_LETTER", "DEAD_LETTER");

        assertThat(operator.answering("y").run("dead", "retry", "--id", "2")).isZero();
        assertThat(operator.questions()).containsExactly("Send 1 dead letter again? [y/N] ");
        assertThat(operator.out()).isEqualTo("1 event will be sent again." + eol());
        assertThat(states()).containsExactly("DEAD_LETTER", "PENDING");
    }

    @Test
    void dryRunShowsTheFirstFewAndChangesNothing() {
        for (int n = 1; n <= 12; n++) {
            insert("" + n, "x");
        }
        bury();

        assertThat(operator.run("dead", "retry", "--all", "--dry-run")).isZero();
        assertThat(operator.out()).contains("12 dead letters would be sent again; nothing was changed.");
        assertThat(operator.out().lines().filter(line -> line.contains("Poison")))
                .hasSize(10);

        assertThat(operator.run("dead", "discard", "--all", "--dry-run", "--json"))
                .isZero();
        assertThat(operator.json().path("matched").intValue()).isEqualTo(12);
        assertThat(operator.json().path("first")).hasSize(10);
        assertThat(states()).containsOnly("DEAD_LETTER").hasSize(12);
        assertThat(operator.run("audit")).isZero();
        assertThat(operator.out()).contains("No operator's action is recorded yet.");
    }

    @Test
    void withoutATerminalYesMustBeSaid() {
        insert("1", "x");
        bury();

        for (String action : List.of("retry", "discard")) {
            assertThat(operator.run("dead", action, "--all")).isEqualTo(2);
            assertThat(operator.err())
                    .startsWith("postrider: There is no terminal to ask")
                    .contains("--yes");
            assertThat(operator.err().lines()).hasSize(1);
        }
        assertThat(operator.run("replay", "--aggregate", "order/1")).isEqualTo(2);
        assertThat(states()).containsExactly("DEAD_LETTER");

        assertThat(operator.run("dead", "retry", "--all", "--yes", "--json")).isZero();
        assertThat(operator.json().path("sentAgain").intValue()).isEqualTo(1);
        assertThat(states()).containsExactly("PENDING");
    }

    @Test
    void nothingSaidIsNotEverything() {
        insert("1", "x");
        bury();

        for (String action : List.of("retry", "discard")) {
            assertThat(operator.run("dead", action, "--yes")).isEqualTo(2);
            assertThat(operator.err()).contains("Which dead letters?", "--all");
        }

        assertThat(states()).containsExactly("DEAD_LETTER");
    }

    @Test
    void discardDeletesAndAuditTellsWhoDidIt() {
        insert("1", "x");
        insert("2", "x");
        bury();

        assertThat(operator.run("dead", "discard", "--key", "1", "--yes", "--as", "ann"))
                .isZero();
        assertThat(operator.out()).isEqualTo("1 event discarded." + eol());
        assertThat(operator.run("dead", "retry", "--error-class", "Poison", "--yes"))
                .isZero();

        assertThat(database.column("select id from outbox")).containsExactly("2");
        assertThat(operator.run("audit", "--json")).isZero();
        JsonNode entries = operator.json().path("entries");
        assertThat(entries).hasSize(2);
        assertThat(entries.path(0).path("action").stringValue()).isEqualTo("retry");
        assertThat(entries.path(0).path("selector").stringValue()).isEqualTo("error class Poison");
        assertThat(entries.path(0).path("actor").stringValue()).startsWith(System.getProperty("user.name") + "@");
        assertThat(entries.path(1).path("actor").stringValue()).isEqualTo("ann");
        assertThat(operator.run("audit")).isZero();
        assertThat(operator.out()).contains("AT ", "ACTOR", "discard", "key 1");
    }

    @Test
    void changedEventsAreWarnedOfAndAccepted() {
        insert("1", "fine");
        database.execute("update outbox set content_hash = 'other'");
        bury();

        assertThat(operator.run("dead", "retry", "--all", "--dry-run")).isZero();
        assertThat(operator.err()).contains("--accept-changes");

        assertThat(operator.run("dead", "retry", "--all", "--yes", "--accept-changes"))
                .isZero();
        assertThat(operator.err()).isEmpty();
        assertThat(database.one("select content_hash <> 'other' from outbox")).isEqualTo("t");
    }

    @Test
    void changesOfEventsWithKeyedHashesAreAcceptedWithTheKey() throws Exception {
        insert("1", "fine");
        database.execute("update outbox set content_hash = 'hmac:other'");
        bury();
        database.execute("update outbox_dead_letter set error_class = 'integrity'");

        assertThat(operator.run("dead", "retry", "--all", "--yes", "--accept-changes"))
                .isEqualTo(1);
        assertThat(operator.err()).contains("integrity key", "Nothing was changed");

        Files.writeString(directory.resolve("key"), "sixteen bytes and more");
        operator.variable("POSTRIDER_RELAY_INTEGRITY_KEY_FILE", "key");
        assertThat(operator.run("dead", "retry", "--all", "--yes", "--accept-changes"))
                .isZero();
        assertThat(database.one("select status || substr(content_hash, 1, 5) || (content_hash <> 'hmac:other')"
                        + " from outbox"))
                .isEqualTo("PENDINGhmac:true");

        operator.variable("POSTRIDER_RELAY_INTEGRITY_KEY_FILE", "nowhere");
        assertThat(operator.run("dead", "retry", "--all", "--yes")).isEqualTo(2);
        assertThat(operator.err()).contains("nowhere");
    }

    @Test
    void restoreBringsBackWhatIsInTheFileAndReportsBrokenLines() throws Exception {
        insert("1", "x");
        database.execute("alter table outbox_dead_letter rename to hidden");
        try {
            bury();
        } finally {
            database.execute("alter table hidden rename to outbox_dead_letter");
        }
        Path file = directory.resolve("dead.jsonl");
        Files.writeString(file, Files.readString(file) + "half a li");

        assertThat(operator.run("restore", "dead.jsonl", "--dry-run")).isEqualTo(1);
        assertThat(operator.out()).isEqualTo("1 event would be sent again." + eol());
        assertThat(states()).containsExactly("DEAD_LETTER");

        assertThat(operator.run("restore", "dead.jsonl")).isEqualTo(1);
        assertThat(operator.out()).isEqualTo("1 event will be sent again." + eol());
        assertThat(operator.err()).startsWith("postrider: Line 2 brings nothing back:");
        assertThat(states()).containsExactly("PENDING");

        Files.writeString(file, Files.readAllLines(file).get(0));
        assertThat(operator.run("restore", "dead.jsonl", "--json")).isZero();
        assertThat(operator.json().path("restored").intValue()).isZero();
        assertThat(operator.json().path("handled").intValue()).isEqualTo(1);

        assertThat(operator.run("restore", "nowhere.jsonl")).isEqualTo(2);
        assertThat(operator.err()).contains("nowhere.jsonl", "no such file");
    }

    @Test
    void replaySendsToKafkaAndSaysHowMuch() {
        TestTopics topics = new TestTopics("operator");
        topics.create("order-events", 1);
        topics.create("again", 1);
        operator.variable("POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers())
                .variable("POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
        insert("1", "x", "y");
        database.execute("update outbox set status = 'PUBLISHED', published_at = now()");

        assertThat(operator.run("replay", "--aggregate", "order/1", "--dry-run"))
                .isZero();
        assertThat(operator.out()).isEqualTo("2 events would be sent; nothing was." + eol());
        assertThat(operator.answering("no").run("replay", "--from", "1h", "--to", "0s"))
                .isZero();
        assertThat(operator.questions())
                .containsExactly("Send 2 published events once more, to the topics of their types? [y/N] ");

        assertThat(operator.answering("yes").run("replay", "--from", "1h", "--to", "0s"))
                .isZero();
        assertThat(operator.out()).isEqualTo("2 events sent once more." + eol());
        assertThat(topics.read("order-events", new StringDeserializer(), 2))
                .extracting(ConsumerRecord::value)
                .containsExactly("\"x bad\"", "\"y bad\"");

        String again = topics.prefix() + "again";
        assertThat(operator.run(
                        "replay", "--aggregate", "order/1", "--topic", again, "--after-id", "1", "--yes", "--json"))
                .isZero();
        assertThat(operator.json().path("sent").intValue()).isEqualTo(1);
        assertThat(operator.json().path("lastId").intValue()).isEqualTo(2);
        assertThat(topics.read("again", new StringDeserializer(), 1))
                .extracting(ConsumerRecord::value)
                .containsExactly("\"y bad\"");
    }

    @Test
    void missingDeadLetterTableIsExplained() {
        database.execute("alter table outbox_dead_letter rename to hidden");
        try {
            assertThat(operator.run("dead", "list")).isEqualTo(1);
            assertThat(operator.err()).contains("Outbox outbox has no dead letter table");
        } finally {
            database.execute("alter table hidden rename to outbox_dead_letter");
        }
    }

    // ---- the small language of this test

    private static void insert(String id, String... bodies) {
        for (String body : bodies) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '" + id + "', '\"" + body + " bad\"')");
        }
    }

    private void bury() {
        RecordingPublisher poisoned =
                RecordingPublisher.answering(event -> new PublishResult.Rejected("Poison", "it is bad", true));
        try (Relay relay = Relay.builder(database.dataSource(), poisoned)
                .settings(RelaySettings.builder()
                        .deadLetters(new DeadLetterSettings(
                                DeadLetterSettings.Then.CONTINUE, directory.resolve("dead.jsonl")))
                        .build())
                .build()) {
            await().until(() -> {
                relay.runOnce();
                return states().stream().allMatch("DEAD_LETTER"::equals);
            });
        }
    }

    private static List<String> states() {
        return database.column("select status from outbox order by id");
    }

    private static String eol() {
        return System.lineSeparator();
    }
}
