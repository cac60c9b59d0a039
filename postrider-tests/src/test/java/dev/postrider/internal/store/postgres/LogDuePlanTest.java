package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.postgres.Columns.Column;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.postgresql.PGStatement;

/**
 * What a look at the events beside a log costs, told by the pages it touches, never by a clock. The table grows from test to
 * test.
 */
@Tag(Torture.ALSO)
@TestMethodOrder(OrderAnnotation.class)
class LogDuePlanTest {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    private static final int SHARDS = 4;
    private static final PostgresLogSql SQL = new PostgresLogSql(OutboxTable.DEFAULT, SHARDS);
    private static final Map<Integer, Integer> LIMITS = Map.of(0, 200, 1, 200, 2, 200, 3, 200);

    /** So many that a scan of all of them could not be mistaken for a look at a few. */
    private static final int MANY = Torture.isOn() ? 300_000 : 60_000;

    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(OutboxLayout.log(SHARDS));
        database.execute("alter table outbox_parked set (autovacuum_enabled = off)");
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    @Order(1)
    void lookReadsAFewPagesHoweverManyEventsWaitForTheirTimeOrTheirDestination() throws SQLException {
        park(1, MANY, "SCHEDULED", "clock_timestamp() + n * interval '1 minute'");
        park(MANY + 1, MANY, "BLOCKED", "null");

        assertLookReadsLittle("without statistics");
        database.execute("vacuum analyze outbox_parked");
        assertLookReadsLittle("with statistics");
    }

    @Test
    @Order(2)
    void costOfALookDoesNotGrowWithTheNumberOfEventsThatAreDueAtOneMoment() throws SQLException {
        park(2 * MANY + 1, 5_000, "FAILED", "timestamptz '2026-01-01 00:00:00Z'");
        long few = pages(explainDue(database));

        park(3 * MANY + 1, MANY, "FAILED", "timestamptz '2026-01-01 00:00:00Z'");
        String old = explainDue(database);
        assertThat(pages(old))
                .as("with old statistics, before " + few + "\n" + old)
                .isLessThan(few * 3 / 2);
        database.execute("vacuum analyze outbox_parked");
        String plan = explainDue(database);
        assertThat(pages(plan))
                .as("with statistics, before " + few + "\n" + plan)
                .isLessThan(few * 3 / 2);
    }

    @Test
    @Order(3)
    void costOfALookDoesNotGrowWithTheNumberOfRequestsOfOperators() throws SQLException {
        database.execute("update outbox_parked set state = 'RETRY', next_attempt_at = null"
                + " where state = 'FAILED' and outbox_id <= " + (2 * MANY + 5_000));
        long few = pages(explainDue(database));

        database.execute("update outbox_parked set state = 'RETRY', next_attempt_at = null where state = 'BLOCKED'");
        String old = explainDue(database);
        assertThat(pages(old))
                .as("with old statistics, before " + few + "\n" + old)
                .isLessThan(few * 3 / 2);
        database.execute("vacuum analyze outbox_parked");
        String plan = explainDue(database);
        assertThat(pages(plan))
                .as("with statistics, before " + few + "\n" + plan)
                .isLessThan(few * 3 / 2);
    }

    @Test
    @Order(4)
    void queuesOfKeysAreReadWithAFewStepsForEachKey() throws SQLException {
        assertQueuesReadLittle(database, "with statistics");
    }

    /** What was never committed is a batch at most, however many letters and parked events there are. */
    @Test
    @Order(5)
    void whatWasNotCommittedIsForgottenInAFewPages() throws SQLException {
        database.execute("alter table outbox_dead_letter set (autovacuum_enabled = off)");
        database.execute(
                "insert into outbox_dead_letter (outbox_id, event_id, event_type, aggregate_type, aggregate_id,"
                        + " payload, content_type, occurred_at, created_at, attempts, error_class, reason, first_failed_at, shard,"
                        + " batch) select n, gen_random_uuid(), 'acme.a.b.v1', 'a', 'b', '1', 'application/json', now(), now(), 1,"
                        + " 'Poison', 'bad', now(), n % " + SHARDS + ", n % 10000 from generate_series(1, " + MANY
                        + ") n");
        park(5 * MANY + 1, 10_000, "SCHEDULED", "clock_timestamp() + interval '1 day'");
        database.execute("update outbox_parked set batch = outbox_id % 10000 where outbox_id > " + 5 * MANY);

        assertForgettingReadsLittle("without statistics");
        database.execute("vacuum analyze");
        assertForgettingReadsLittle("with statistics");
    }

    /** As autovacuum does when it comes while many rows are being written: it sees none of them. */
    @Test
    @Order(6)
    void lookReadsAFewPagesWithStatisticsOfAnEmptyTable() throws SQLException {
        try (TestDatabase fresh = TestDatabase.withOutbox(OutboxLayout.log(SHARDS))) {
            fresh.execute("alter table outbox_parked set (autovacuum_enabled = off)");
            try (Connection writer = fresh.transaction();
                    Statement statement = writer.createStatement()) {
                statement.execute(parking(1, MANY, "SCHEDULED", "clock_timestamp() + interval '1 day'"));
                statement.execute(parking(MANY + 1, MANY, "BLOCKED", "null"));
                fresh.execute("vacuum analyze outbox_parked");
                writer.commit();
            }
            assertThat(fresh.one("select reltuples from pg_class where oid = 'outbox_parked'::regclass"))
                    .isEqualTo("0");
            String idle = explainDue(fresh);
            assertThat(pages(idle)).as(idle).isLessThan(50);

            fresh.execute(parking(2 * MANY + 1, 100, "FAILED", "timestamptz '2026-01-01 00:00:00Z'"));
            String busy = explainDue(fresh);
            assertThat(pages(busy)).as(busy).isLessThan(1_000);

            assertQueuesReadLittle(fresh, "with statistics of an empty table");
        }
    }

    private static void assertQueuesReadLittle(TestDatabase of, String when) throws SQLException {
        List<Long> keys = of
                .column("select key_hash from outbox_parked where holds and shard = 1 order by outbox_id desc limit 10")
                .stream()
                .map(Long::valueOf)
                .toList();
        Column shards = Columns.integers(Collections.nCopies(keys.size(), 1));
        String queues = explain(
                of,
                SQL.queues,
                statement -> Columns.bind(statement, 1L << 24, 1L << 24, shards, Columns.longs(keys), 100));
        assertThat(pages(queues)).as(when + "\n" + queues).isLessThan(150);
        String first = explain(of, SQL.firstOfQueue, statement -> Columns.bind(statement, 1, keys.get(0)));
        assertThat(pages(first)).as(when + "\n" + first).isLessThan(15);
    }

    private static void assertForgettingReadsLittle(String when) throws SQLException {
        String plan = explain(
                database,
                SQL.forgetUncommitted,
                statement -> Columns.bind(statement, 1, 9_998L, 1, 1, 9_998L, Columns.longs(List.of(17L))));
        assertThat(pages(plan)).as(when + "\n" + plan).isLessThan(150);
    }

    private static void assertLookReadsLittle(String when) throws SQLException {
        String plan = explainDue(database);
        assertThat(pages(plan)).as(when + "\n" + plan).isLessThan(50);
    }

    private static void park(int from, int count, String state, String due) {
        database.execute(parking(from, count, state, due));
    }

    /** One event of each key. */
    private static String parking(int from, int count, String state, String due) {
        return "insert into outbox_parked (outbox_id, shard, key_hash, state, holds, destination, next_attempt_at)"
                + " select n, n % " + SHARDS + ", hashtextextended(n::text, 0), '" + state + "', "
                + !state.equals("SCHEDULED") + ", " + (state.equals("BLOCKED") ? "'topic'" : "null") + ", " + due
                + " from generate_series(" + from + ", " + (from + count - 1) + ") n";
    }

    private static String explainDue(TestDatabase of) throws SQLException {
        return explain(of, SQL.due, statement -> PostgresLogStore.bindDue(statement, LIMITS));
    }

    private interface Parameters {
        void bindTo(PreparedStatement statement) throws SQLException;
    }

    /** The plan that a relay's session has for the prepared statement; what it changes is taken back. */
    private static String explain(TestDatabase of, String statement, Parameters parameters) throws SQLException {
        try (Connection connection = of.transaction();
                Statement session = connection.createStatement()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            new PostgresLogStore(OutboxTable.DEFAULT, SHARDS, ContentHash.sha256()).prepareSession(connection);
            int count = 0;
            String numbered = statement;
            while (numbered.contains("?")) {
                numbered = numbered.replaceFirst("\\?", "\\$" + ++count);
            }
            session.execute("prepare look as " + numbered);
            String bound;
            try (PreparedStatement execute = connection.prepareStatement("explain (analyze, buffers, timing off)"
                    + " execute look(" + String.join(", ", Collections.nCopies(count, "?")) + ")")) {
                parameters.bindTo(execute);
                bound = execute.unwrap(PGStatement.class).toString();
            }
            StringBuilder plan = new StringBuilder();
            try (ResultSet lines = session.executeQuery(bound)) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            session.execute("deallocate look");
            connection.rollback();
            return plan.toString();
        }
    }

    private static long pages(String plan) {
        Matcher total = PAGES.matcher(plan);
        assertThat(total.find()).as(plan).isTrue();
        return Long.parseLong(total.group(1)) + (total.group(2) == null ? 0 : Long.parseLong(total.group(2)));
    }
}
