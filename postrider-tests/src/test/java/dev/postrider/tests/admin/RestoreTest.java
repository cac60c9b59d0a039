package dev.postrider.tests.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.OnPublished;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Payload;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.RestoreReport;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.Refusals;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Dead letters that the table could not take come back from the file, once and unchanged. */
@ParameterizedClass
@EnumSource
class RestoreTest {
    @Parameter
    private TestServer server;

    /** Its white space and its trailing zero are part of it. */
    private static final String DOCUMENT = "{ \"amount\" : 1.50,\t\"note\": \"\\u00e9\\\\n ü\" }";

    @TempDir
    private Path directory;

    private TestDatabase database;
    private OutboxAdmin admin;
    private Path file;
    private final List<Relay> relays = new ArrayList<>();

    @BeforeEach
    void open() {
        database = TestDatabase.withOutbox(server);
        admin = OutboxAdmin.builder(database.dataSource()).build();
        file = directory.resolve("dead.jsonl");
        database.execute("drop table outbox_dead_letter");
    }

    @AfterEach
    void close() {
        relays.forEach(Relay::stop);
        database.close();
    }

    @Test
    void eventOfTheFileIsPendingAgainAndDelivered() throws Exception {
        OutboxEvent event = json(DOCUMENT);
        write(event);
        buryInFile(1);

        assertThat(admin.restore(file, "ann@desk")).isEqualTo(new RestoreReport(1, 0, 0, List.of()));

        assertThat(database.one(
                        "select concat_ws('|', id, status, attempts, case when holds_key then 'held' end) from outbox"))
                .isEqualTo("1|PENDING|0");
        assertThat(deliverAll(OnPublished.KEEP)).containsExactly(event.id() + DOCUMENT);
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "restore", "file dead.jsonl", 1L));
    }

    @Test
    void rowThatIsGoneIsWrittenAgainExactlyAsItWas() throws Exception {
        OutboxEvent event = json(DOCUMENT);
        OutboxEvent binary = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "b")
                .payload(Payload.bytes(new byte[] {0, -1, 10, 34, 92}, "application/avro"))
                .build();
        write(event, binary);
        buryInFile(2);
        String everything =
                "select concat_ws('|', event_id, event_type, aggregate_type, aggregate_id, event_key, source,"
                        + " payload, octet_length(payload_binary), content_type, headers"
                        + (server == TestServer.POSTGRES ? "::jsonb" : "") + ", request_id,"
                        + " content_hash, occurred_at, created_at, max_retries) from outbox order by id";
        List<String> before = database.column(everything);
        database.execute("delete from outbox");

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 2, 0, List.of()));

        assertThat(database.column(everything)).isEqualTo(before);
        assertThat(deliverAll(OnPublished.KEEP))
                .as("with hashes that match, or they would be dead")
                .hasSize(2);
    }

    @Test
    void secondRestoreChangesNothing() throws Exception {
        write(json("1"), json("2"));
        buryInFile(2);
        database.execute("delete from outbox where id = 2");
        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(1, 1, 0, List.of()));
        String before = rows();

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 2, List.of()));

        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void secondRestoreBringsNothingTwiceEvenIfPublishedRowsAreDeleted() throws Exception {
        write(json("1"), json("2"));
        buryInFile(2);
        database.execute("delete from outbox where id = 2");
        admin.restore(file, "me");
        assertThat(deliverAll(OnPublished.DELETE)).hasSize(2);
        assertThat(rows()).isEmpty();

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 2, List.of()));

        assertThat(rows()).isEmpty();
        assertThat(admin.audit(10)).extracting(AuditEntry::affected).containsExactly(0L, 2L);
    }

    @Test
    void eventThatDiedOnceMoreComesBackOnceMore() throws Exception {
        write(json("1"));
        buryInFile(1);
        admin.restore(file, "me");
        buryInFile(2);

        assertThat(admin.restore(file, "me"))
                .as("the first line brings it back, the second finds it alive")
                .isEqualTo(new RestoreReport(1, 0, 1, List.of()));
    }

    @Test
    void letterInTheTableGoesWhenItsEventComesBackFromTheFile() throws Exception {
        write(json("1"));
        buryInFile(1);
        recreateLetters();
        admin.retry(DeadLetterSelection.all(), "me");
        poisonedRelay().runOnce();
        assertThat(admin.count(DeadLetterSelection.all())).isEqualTo(1);

        assertThat(admin.restore(file, "me").back()).isEqualTo(1);

        assertThat(admin.count(DeadLetterSelection.all())).isZero();
    }

    @Test
    void eventThatWasDiscardedDoesNotComeBack() throws Exception {
        write(json("1"));
        buryInFile(1);
        recreateLetters();
        assertThat(admin.discard(DeadLetterSelection.all(), "me").discarded()).isEqualTo(1);

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 1, List.of()));

        assertThat(rows()).isEmpty();
    }

    @Test
    void brokenLinesAreReportedByNumberAndDoNotStopTheOthers() throws Exception {
        write(json("1"), json("2"), json("3"));
        buryInFile(3);
        List<String> good = Files.readAllLines(file);
        database.execute("delete from outbox");
        byte[] notUtf8 = {'{', (byte) 0xc3, '}', '\n'};
        Files.write(file, List.of("hello", good.get(0).substring(0, 40), good.get(0), "", "[1]"));
        Files.write(file, notUtf8, StandardOpenOption.APPEND);
        Files.write(
                file,
                List.of(
                        good.get(1).replace("\"event_id\":\"", "\"event_id\":\"x"),
                        good.get(1).replace("\"attempts\":0", "\"attempts\":\"s3cret\""),
                        good.get(1).replaceFirst("\"payload_text\":\"2\"", "\"payload_text\":null"),
                        "{\"id\": 7}",
                        good.get(2)),
                StandardOpenOption.APPEND);

        RestoreReport report = admin.restore(file, "me");

        assertThat(report.restored()).isEqualTo(2);
        assertThat(report.problems())
                .extracting(RestoreReport.Problem::line)
                .containsExactly(1L, 2L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(report.problems().toString())
                .contains("not UTF-8", "not a UUID", "SQL state 22", "SQL state 23")
                .doesNotContain("s3cret", "hello");
        assertThat(database.column("select payload from outbox order by id")).containsExactly("1", "3");
    }

    @Test
    void lineThatATriggerRefusesIsReportedAndTheOthersComeBack() throws Exception {
        write(json("1"), json("2"), json("3"));
        buryInFile(3);
        database.execute("delete from outbox");
        Refusals.byTrigger(database, "outbox", "insert", "new.request_id = 'request of 2'", "45000");

        RestoreReport report = admin.restore(file, "me");

        assertThat(report.inserted()).isEqualTo(2);
        assertThat(report.problems())
                .containsExactly(new RestoreReport.Problem(2, "the database does not take it (SQL state 45000)"));
    }

    @Test
    void lineThatIsLongerThanAStatementMayBeIsReportedIfItsRowIsGone() throws Exception {
        assumeTrue(server == TestServer.MARIADB);
        String large = "[" + "\"\",".repeat(300_000) + "1]";
        write(json("1"), json(large, "large"), json("3"));
        buryInFile(3);
        try {
            database.execute("set global max_allowed_packet = 1048576");
            reopen();
            assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(3, 0, 0, List.of()));
            database.execute("delete from outbox");
            database.execute("delete from outbox_audit");

            RestoreReport report = admin.restore(file, "me");

            assertThat(report.inserted()).isEqualTo(2);
            assertThat(report.problems()).hasSize(1);
            assertThat(report.problems().get(0).line()).isEqualTo(2);
            assertThat(report.problems().get(0).what()).contains("max_allowed_packet", "1048576");
        } finally {
            database.execute("set global max_allowed_packet = default");
            reopen();
        }
        assertThat(admin.restore(file, "me").inserted()).isEqualTo(1);
        assertThat(deliverAll(OnPublished.KEEP)).anyMatch(body -> body.endsWith(large));
    }

    private void reopen() {
        database.reconnect();
        admin = OutboxAdmin.builder(database.dataSource()).build();
    }

    @Test
    void eventWhoseRequestIdIsTakenIsReported() throws Exception {
        write(json("1", "r-1"));
        buryInFile(1);
        database.execute("delete from outbox");
        write(json("2", "r-1"));

        RestoreReport report = admin.restore(file, "me");

        assertThat(report.restored()).isZero();
        assertThat(report.problems()).hasSize(1);
        assertThat(report.problems().get(0).what()).contains("request id");
    }

    @Test
    void previewSaysTheSameAndChangesNothing() throws Exception {
        write(json("1"), json("2"));
        buryInFile(2);
        database.execute("delete from outbox where id = 2");
        String before = rows();

        assertThat(admin.previewRestore(file)).isEqualTo(new RestoreReport(1, 1, 0, List.of()));

        assertThat(rows()).isEqualTo(before);
        assertThat(database.one("select count(*) from outbox_audit")).isEqualTo("0");
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> admin.restore(directory.resolve("nowhere.jsonl"), "me"))
                .hasMessageContaining("nowhere.jsonl");
    }

    // ---- the small language of this test

    private static OutboxEvent json(String document) {
        return json(document, "request of " + document);
    }

    private static OutboxEvent json(String document, String requestId) {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "a")
                .json(document)
                .key("k")
                .source("shop")
                .header("tenant", "t-1")
                .requestId(requestId)
                .maxRetries(3)
                .build();
    }

    private void write(OutboxEvent... events) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder().build().write(connection, List.of(events));
            connection.commit();
        }
    }

    /** As relays do when the table does not take dead letters. */
    private void buryInFile(int lines) throws IOException {
        Relay relay = poisonedRelay();
        await().until(() -> {
            relay.runOnce();
            return Files.exists(file) && Files.readAllLines(file).size() == lines;
        });
        assertThat(Files.readString(file, UTF_8)).contains("payload_text");
    }

    private Relay poisonedRelay() {
        RecordingPublisher poisoned =
                RecordingPublisher.answering(event -> new PublishResult.Rejected("Poison", "it is bad", true));
        return relay(poisoned, OnPublished.KEEP);
    }

    private List<String> deliverAll(OnPublished onPublished) {
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = relay(healthy, onPublished);
        await().until(() -> {
            relay.runOnce();
            return database.one("select count(*) from outbox where status <> 'PUBLISHED'")
                    .equals("0");
        });
        return healthy.accepted().stream()
                .map(event -> event.id() + event.payload().text())
                .toList();
    }

    private Relay relay(RecordingPublisher publisher, OnPublished onPublished) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .onPublished(onPublished)
                        .deadLetters(new DeadLetterSettings(DeadLetterSettings.Then.CONTINUE, file))
                        .build())
                .build();
        relays.add(relay);
        return relay;
    }

    private void recreateLetters() {
        String script = OutboxSchema.script(server.family(), OutboxTable.DEFAULT, OutboxLayout.claim());
        int begin = script.indexOf("create table " + server.quoted("outbox_dead_letter"));
        database.execute(script.substring(begin, script.indexOf(";", begin)));
    }

    private String rows() {
        return String.join("\n", database.column(server.wholeRows()));
    }
}
