package dev.postrider.tests.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Payload;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.RestoreReport;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dead letters of a log that the table could not take come back from the file, once and unchanged: as requests for the
 * owners of their shards.
 */
class LogRestoreTest {
    /** Its white space and its trailing zero are part of it. */
    private static final String DOCUMENT = "{ \"amount\" : 1.50,\t\"note\": \"\\u00e9\\\\n ü\" }";

    private static final String ENVELOPE =
            "concat_ws('|', event_id, event_type, aggregate_type, aggregate_id, event_key,"
                    + " source, payload::text, payload_binary, content_type, headers::jsonb, request_id, content_hash,"
                    + " occurred_at, created_at, max_retries)";

    private static TestDatabase database;
    private static LogTables log;

    @TempDir
    private Path directory;

    private final OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
    private Path file;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(OutboxLayout.log(4));
        log = new LogTables(database);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        log.clear();
        file = directory.resolve("dead.jsonl");
    }

    @Test
    void eventOfTheFileIsRequestedExactlyAsItWas() throws Exception {
        write(json(DOCUMENT), binary());
        buryInFile();
        String row = "select string_agg(" + ENVELOPE + ", E'\\n' order by %s) from %s";
        String before = database.one(row.formatted("id", "outbox"));

        assertThat(admin.restore(file, "ann@desk")).isEqualTo(new RestoreReport(2, 0, 0, List.of()));

        assertThat(database.one(row.formatted("outbox_id", "outbox_parked"))).isEqualTo(before);
        assertThat(database.column("select concat_ws('|', f.state, f.holds, f.batch, f.attempts, f.last_error,"
                        + " f.key_hash = o.key_hash, f.shard = (o.key_hash & 9223372036854775807) % 4)"
                        + " from outbox_parked f join outbox o on o.id = f.outbox_id"))
                .hasSize(2)
                .containsOnly("RETRY|f|0|0|it is bad|t|t");
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "restore", "file dead.jsonl", 2L));
    }

    @Test
    void eventThatHoldsItsKeyGoesOnHoldingIt() throws Exception {
        write(json("1"), json("2"), json("3"));
        buryInFile();
        log.hold(1, true);
        log.fail(2);
        log.hold(2, true);
        log.hold(3, true);
        database.execute("delete from outbox where id = 3");

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(3, 0, 0, List.of()));

        assertThat(log.parked()).containsExactly("1|RETRY|holds|1", "2|RETRY|holds|2", "3|RETRY|holds|3");
        assertThat(database.one("select string_agg(distinct batch::text, ',' order by batch::text) from outbox_parked"))
                .isEqualTo("0,7");
    }

    @Test
    void rowThatIsGoneIsNotMissed() throws Exception {
        write(json("1"), json("2"));
        buryInFile(1);
        database.execute("delete from outbox where id = 1");

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(1, 0, 0, List.of()));

        assertThat(log.parked()).containsExactly("1|RETRY|1");
    }

    @Test
    void eventWhoseIdAnotherHasGotIsWrittenToTheLogAgain() throws Exception {
        write(json(DOCUMENT), binary());
        buryInFile();
        String everything = "select string_agg(" + ENVELOPE + ", E'\\n' order by id) from outbox where id > %d";
        String before = database.one(everything.formatted(0));
        database.execute("truncate outbox restart identity");
        write(json("3"));

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 2, 0, List.of()));

        assertThat(database.one(everything.formatted(1))).isEqualTo(before);
        assertThat(database.column("select id || status from outbox order by id"))
                .containsExactly("1LOG", "2LOG", "3LOG");
        assertThat(log.parked()).isEmpty();
        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 2, List.of()));
        database.execute("delete from outbox where id > 1");
        assertThat(admin.restore(file, "me"))
                .as("even if they are deleted meanwhile")
                .isEqualTo(new RestoreReport(0, 0, 2, List.of()));
    }

    @Test
    void secondRestoreChangesNothing() throws Exception {
        write(json("1"), json("2"));
        buryInFile();
        log.hold(2, true);
        assertThat(admin.restore(file, "me").back()).isEqualTo(2);
        List<String> before = log.parked();

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 2, List.of()));

        assertThat(log.parked()).isEqualTo(before);
    }

    @Test
    void secondRestoreBringsNothingTwiceEvenIfEverythingWasSent() throws Exception {
        write(json("1"), json("2"));
        buryInFile();
        admin.restore(file, "me");
        log.fulfilRequests();
        database.execute("delete from outbox where id = 1");

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 2, List.of()));

        assertThat(log.parked()).isEmpty();
        assertThat(admin.audit(10)).extracting(AuditEntry::affected).containsExactly(0L, 2L);
    }

    @Test
    void eventThatDiedOnceMoreComesBackOnceMore() throws Exception {
        write(json("1"), json("2"));
        buryInFile();
        admin.restore(file, "me");
        log.fulfilRequests();
        log.hold(1, false);
        log.bury(2);

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(2, 0, 0, List.of()));

        assertThat(log.parked()).containsExactly("1|RETRY|1", "2|RETRY|2");
        assertThat(admin.count(DeadLetterSelection.all())).isZero();
    }

    @Test
    void eventThatTheLogStillBringsIsLeftAlone() throws Exception {
        write(json("1"), json("2"));
        Files.write(file, log.describe());
        log.readUpTo(1);

        assertThat(admin.restore(file, "me"))
                .as("of the second its relay could not record that it had died")
                .isEqualTo(new RestoreReport(1, 0, 1, List.of()));

        assertThat(log.parked()).containsExactly("1|RETRY|1");
    }

    @Test
    void eventThatWasDiscardedDoesNotComeBack() throws Exception {
        write(json("1"));
        buryInFile();
        log.hold(1, true);
        assertThat(admin.discard(DeadLetterSelection.all(), "me").discarded()).isEqualTo(1);

        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 1, List.of()));
        log.fulfilRequests();
        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, 1, List.of()));

        assertThat(log.parked()).isEmpty();
    }

    @Test
    void tableOfDeadLettersNeedNotBeThere() throws Exception {
        write(json("1"));
        buryInFile();
        database.execute("alter table outbox_dead_letter rename to hidden");
        try {
            assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(1, 0, 0, List.of()));
        } finally {
            database.execute("alter table hidden rename to outbox_dead_letter");
        }
        assertThat(log.parked()).containsExactly("1|RETRY|1");
    }

    @Test
    void brokenLinesAreReportedByNumberAndDoNotStopTheOthers() throws Exception {
        write(json("1"), json("2"), json("3"), json("4"));
        buryInFile(3);
        List<String> good = Files.readAllLines(file);
        Files.write(
                file,
                List.of(
                        good.get(0).substring(0, 40),
                        good.get(0),
                        good.get(1).replace("\"attempts\":0", "\"attempts\":\"s3cret\""),
                        good.get(1).replaceFirst("\"payload_text\":\"2\"", "\"payload_text\":null"),
                        good.get(1).replaceFirst("\"payload_text\":\"2\"", "\"payload_text\":\"s3cret\""),
                        good.get(1).replaceFirst("\"event_type\":\"[^\"]*\"", "\"event_type\":null"),
                        good.get(1).replaceFirst("\"headers\":\\{[^}]*}", "\"headers\":[]"),
                        good.get(2)));

        RestoreReport report = admin.restore(file, "me");

        assertThat(report.restored()).isEqualTo(2);
        assertThat(report.problems()).extracting(RestoreReport.Problem::line).containsExactly(1L, 3L, 4L, 5L, 6L, 7L);
        assertThat(report.problems().toString())
                .contains("SQL state 22P02", "SQL state 23502")
                .doesNotContain("s3cret");
        assertThat(log.parked()).containsExactly("1|RETRY|1", "3|RETRY|3");
    }

    @Test
    void eventWhoseRequestIdIsTakenIsReported() throws Exception {
        write(json("1", "r-1"), json("2"));
        buryInFile(1);
        database.execute("delete from outbox where id = 1");
        write(json("3", "r-1"));

        RestoreReport report = admin.restore(file, "me");

        assertThat(report.restored()).isZero();
        assertThat(report.problems()).hasSize(1);
        assertThat(report.problems().get(0).what()).contains("request id");
        assertThat(log.parked()).isEmpty();
    }

    @Test
    void previewSaysTheSameAndChangesNothing() throws Exception {
        write(json("1"), json("2"));
        buryInFile();
        log.hold(2, true);

        assertThat(admin.previewRestore(file)).isEqualTo(new RestoreReport(2, 0, 0, List.of()));

        assertThat(log.parked()).containsExactly("2|DEAD|holds");
        assertThat(database.one("select count(*) from outbox_audit")).isEqualTo("0");
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

    private static OutboxEvent binary() {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "b")
                .payload(Payload.bytes(new byte[] {0, -1, 10, 34, 92}, "application/avro"))
                .build();
    }

    private static void write(OutboxEvent... events) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder().build().write(connection, List.of(events));
            connection.commit();
        }
    }

    /** Everything has died, and the table did not take the letters. */
    private void buryInFile() throws IOException {
        buryInFile(Integer.MAX_VALUE);
    }

    private void buryInFile(int first) throws IOException {
        log.readAll();
        Files.write(file, log.describe().stream().limit(first).toList());
    }
}
