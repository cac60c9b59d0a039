package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What a claim costs on large tables, told by the planner and by the pages it touches, never by a
 * clock. The table grows from test to test.
 */
@Tag(Torture.ALSO)
@TestMethodOrder(OrderAnnotation.class)
class ClaimPlanTest {
    /** So many that a scan of all of them could not be mistaken for a look at a few. */
    private static final int MANY = Torture.isOn() ? 1_000_000 : 150_000;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private static final Pattern ROWS = Pattern.compile("actual time=\\S+ rows=(\\d+) ");

    private static TestDatabase database;
    private static long pagesAtTenThousand;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox();
        database.execute("alter table outbox set (autovacuum_enabled = off)");
        insert(MANY, "PUBLISHED");
        insert(1_000, "PENDING");
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    @Order(1)
    void claimUsesThePartialIndexesBesideManyPublishedRows() throws SQLException {
        assertUsesIndexes("before statistics were taken");
        database.execute("vacuum analyze outbox");
        assertUsesIndexes("with statistics");
    }

    @Test
    @Order(2)
    void claimUsesThePartialIndexesWithStatisticsFromBeforeTheBacklog() throws SQLException {
        insert(9_000, "PENDING");

        assertUsesIndexes("10 000 pending where 1 000 are expected");
        pagesAtTenThousand = pages(explain(new PostgresSql(OutboxTable.DEFAULT).claimByKey));
    }

    @Test
    @Order(3)
    void claimTouchesAsManyPagesWithManyPendingAsWithTenThousand() throws SQLException {
        insert(MANY - 10_000, "PENDING");
        assertUsesIndexes("with old statistics");
        database.execute("vacuum analyze outbox");
        assertUsesIndexes("with new statistics");

        long pagesWithMany = pages(explain(new PostgresSql(OutboxTable.DEFAULT).claimByKey));

        assertThat(pagesWithMany)
                .as("pages at 10 000 pending: " + pagesAtTenThousand)
                .isLessThan(pagesAtTenThousand * 3 / 2);
    }

    @Test
    @Order(4)
    void settlingFindsItsRowsByTheirIdsHoweverManyAreInFlight() throws SQLException {
        insert(20_000, "SENDING");
        assertSettlesByIds("without statistics of what is in flight");
        database.execute("vacuum analyze outbox");
        assertSettlesByIds("with statistics");
    }

    @Test
    @Order(5)
    void repairsLookAtNothingButWhatMayNeedThem() throws SQLException {
        insert(100, "HELD");
        assertRepairsTouchLittle("without statistics of what is held");
        database.execute("vacuum analyze outbox");
        assertRepairsTouchLittle("with statistics");
        database.execute("delete from outbox where status in ('HELD', 'SENDING')");
        database.execute("vacuum analyze outbox");
        assertRepairsTouchLittle("with nothing to repair");
    }

    @Test
    @Order(10)
    void lookAtSomeClosedKeysCostsTheSameHoweverManyThereAre() throws SQLException {
        try (TestDatabase fresh = TestDatabase.withOutbox()) {
            fresh.execute("alter table outbox set (autovacuum_enabled = off)");
            fresh.execute(
                    "insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, next_attempt_at)"
                            + " select 'acme.order.paid.v1', 'order', (n % 20000)::text, '{}',"
                            + " case when n <= 20000 then 'FAILED' else 'HELD' end,"
                            + " case when n <= 20000 then now() + interval '1 hour' end from generate_series(1, 60000) n");
            assertLookAtSomeTouchesLittle(fresh, "without statistics");
            fresh.execute("vacuum analyze outbox");
            assertLookAtSomeTouchesLittle(fresh, "with statistics");
        }
    }

    private static void assertLookAtSomeTouchesLittle(TestDatabase fresh, String when) throws SQLException {
        PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
        List<Long> some = fresh.column("select distinct key_hash from outbox where status = 'HELD' limit 200").stream()
                .map(Long::valueOf)
                .toList();
        for (String plan : List.of(
                explainRepair(fresh, sql.releaseHeldFrom, 0L, 200, 200, 200),
                explainRepair(fresh, sql.releaseHeldOf, Columns.longs(some), 200, 200))) {
            assertThat(pages(plan)).as(when + "\n" + plan).isLessThan(200 * 12);
        }
    }

    @Test
    @Order(6)
    void historyOfAnAggregateIsAnIndexScanWhateverTheStatus() throws SQLException {
        database.execute("analyze outbox");
        for (String condition : new String[] {"aggregate_id = ?", "aggregate_id = ? and aggregate_type = 'order'"}) {
            try (Connection connection = database.transaction();
                    PreparedStatement explain = connection.prepareStatement(
                            "explain (analyze, buffers) select * from outbox where " + condition)) {
                explain.setString(1, "17");
                assertThat(lines(explain)).contains("outbox_aggregate").doesNotContain("Seq Scan");
            }
        }
    }

    /** As autovacuum does when it comes while many rows are being written: it sees none of them. */
    @Test
    @Order(8)
    void claimFindsItsRowsByTheirIdsWithStatisticsOfAnEmptyTable() throws SQLException {
        try (TestDatabase fresh = TestDatabase.withOutbox()) {
            fresh.execute("alter table outbox set (autovacuum_enabled = off)");
            try (Connection writer = fresh.transaction();
                    Statement statement = writer.createStatement()) {
                statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status)"
                        + " select 'acme.order.paid.v1', 'order', (n % 50)::text, '{}',"
                        + " case when n % 100 = 0 then 'PENDING' else 'PUBLISHED' end"
                        + " from generate_series(1, 100000) n");
                fresh.execute("vacuum analyze outbox");
                writer.commit();
            }
            assertThat(fresh.one("select reltuples from pg_class where oid = 'outbox'::regclass"))
                    .isEqualTo("0");
            PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
            for (String claim : List.of(sql.claimByKey, sql.claimByDueTime)) {
                String plan = explain(fresh, claim);
                assertThat(ROWS.matcher(plan).results().mapToLong(rows -> Long.parseLong(rows.group(1))))
                        .as("rows of each step of\n" + plan)
                        .contains(500L)
                        .allMatch(rows -> rows <= 1_000);
            }
        }
    }

    /** Followers of keys that wait for their destination: what is set aside costs no more for each if there are many. */
    @Test
    @Order(9)
    void noRowIsComparedWithEachOtherWithStatisticsOfAnEmptyTable() throws SQLException {
        try (TestDatabase fresh = TestDatabase.withOutbox()) {
            fresh.execute("alter table outbox set (autovacuum_enabled = off)");
            try (Connection writer = fresh.transaction();
                    Statement statement = writer.createStatement()) {
                statement.execute(
                        "insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, blocked_by)"
                                + " select 'acme.order.paid.v1', 'order', (n % 1000)::text, '{}'::json,"
                                + " case when n <= 1000 then 'BLOCKED' else 'PENDING' end,"
                                + " case when n <= 1000 then 'orders' end from generate_series(1, 1250) n"
                                + " union all select 'acme.order.paid.v1', 'order', 'free-' || n, '{}'::json, 'PENDING', null"
                                + " from generate_series(1, 250) n");
                fresh.execute("vacuum analyze outbox");
                writer.commit();
            }
            assertThat(fresh.one("select reltuples from pg_class where oid = 'outbox'::regclass"))
                    .isEqualTo("0");
            PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
            for (String claim : List.of(sql.claimByKey, sql.claimByDueTime)) {
                String plan = explain(fresh, claim);
                assertThat(Pattern.compile("Rows Removed by Join Filter: (\\d+)")
                                .matcher(plan)
                                .results()
                                .mapToLong(removed -> Long.parseLong(removed.group(1))))
                        .as(plan)
                        .allMatch(removed -> removed < 2_000);
            }
        }
    }

    @Test
    @Order(7)
    void whatIsDueNextIsFoundInAFewPagesHoweverMuchWaits() throws SQLException {
        database.execute("update outbox set next_attempt_at = now() + id * interval '1 minute' where status = 'PENDING'"
                + " and id % 100 = 0");
        assertOutlookTouchesLittle("without statistics");
        database.execute("vacuum analyze outbox");
        assertOutlookTouchesLittle("with statistics");
    }

    private static void assertOutlookTouchesLittle(String when) throws SQLException {
        String plan = explainRepair(new PostgresSql(OutboxTable.DEFAULT).outlook);
        assertThat(plan).as(when).contains("using outbox_due on outbox").doesNotContain("Seq Scan on outbox");
        assertThat(pages(plan)).as(when + "\n" + plan).isLessThan(20);
    }

    private static void assertRepairsTouchLittle(String when) throws SQLException {
        PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
        assertThat(pages(explainRepair(sql.recoverStalled, 200)))
                .as("stalled, " + when)
                .isLessThan(12_000);
        String held = explainRepair(sql.releaseHeldFrom, Long.MIN_VALUE, 1_000, 200, 200);
        assertThat(pages(held)).as("held, " + when + "\n" + held).isLessThan(10_000);
    }

    private static String explainRepair(String repair, Object... limits) throws SQLException {
        return explainRepair(database, repair, limits);
    }

    private static String explainRepair(TestDatabase database, String repair, Object... limits) throws SQLException {
        try (Connection connection = database.transaction()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            try (PreparedStatement explain = connection.prepareStatement("explain (analyze, buffers) " + repair)) {
                Columns.bind(explain, limits);
                return lines(explain);
            } finally {
                connection.rollback();
            }
        }
    }

    private static void assertSettlesByIds(String when) throws SQLException {
        PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
        for (String settle : List.of(sql.markPublished, sql.deletePublished, sql.giveBack)) {
            assertThat(explainSettling(settle))
                    .as(when)
                    .contains("using outbox_pkey on outbox")
                    .doesNotContain("outbox_status")
                    .doesNotContain("outbox_key")
                    .doesNotContain("Nested Loop")
                    .contains("(actual rows=500 loops=1)");
        }
    }

    /** Settles 500 of the newest rows under EXPLAIN and takes it back. */
    private static String explainSettling(String settle) throws SQLException {
        try (Connection connection = database.transaction()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            List<Long> ids = database.column("select id from outbox order by id desc limit 500").stream()
                    .map(Long::valueOf)
                    .toList();
            List<String> eventIds = database.column("select event_id from outbox order by id desc limit 500");
            try (PreparedStatement explain =
                    connection.prepareStatement("explain (analyze, timing off, summary off) " + settle)) {
                Columns.bind(
                        explain,
                        Columns.longs(ids),
                        Columns.column("uuid", eventIds, id -> id),
                        Columns.integers(Collections.nCopies(ids.size(), 0)),
                        Columns.longs(ids));
                return lines(explain);
            } finally {
                connection.rollback();
            }
        }
    }

    private static void assertUsesIndexes(String when) throws SQLException {
        PostgresSql sql = new PostgresSql(OutboxTable.DEFAULT);
        assertThat(explain(sql.claimByKey))
                .as(when)
                .contains("using outbox_due on outbox")
                .contains("using outbox_key on outbox")
                .doesNotContain("Seq Scan on outbox")
                .doesNotContain("Bitmap Heap Scan on outbox");
        assertThat(explain(sql.claimByDueTime))
                .as(when)
                .contains("using outbox_due on outbox")
                .doesNotContain("Seq Scan on outbox")
                .doesNotContain("Bitmap Heap Scan on outbox");
    }

    /** Runs a claim of 500 under EXPLAIN and takes it back. */
    private static String explain(String claim) throws SQLException {
        return explain(database, claim);
    }

    private static String explain(TestDatabase database, String claim) throws SQLException {
        try (Connection connection = database.transaction()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            String plan;
            try (PreparedStatement explain = connection.prepareStatement("explain (analyze, buffers) " + claim)) {
                int next = 1;
                explain.setLong(next++, 0);
                for (int scan = 0; scan < 2; scan++) {
                    explain.setInt(next++, 1);
                    explain.setInt(next++, 1);
                    explain.setInt(next++, 1);
                    explain.setInt(next++, 0);
                    explain.setArray(next++, connection.createArrayOf("bigint", new Long[0]));
                    explain.setInt(next++, 500);
                }
                explain.setLong(next++, 1 << 24);
                explain.setLong(next++, 1 << 24);
                explain.setInt(next++, 500);
                for (int limit = 0; limit < 3; limit++) {
                    explain.setLong(next++, 1 << 24);
                }
                if (claim.contains("gates")) {
                    explain.setArray(next++, connection.createArrayOf("bigint", new Long[0]));
                }
                explain.setString(next++, "plan-test");
                explain.setLong(next, 1 << 24);
                plan = lines(explain);
            }
            connection.rollback();
            return plan;
        }
    }

    private static String lines(PreparedStatement explain) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet lines = explain.executeQuery()) {
            while (lines.next()) {
                plan.append(lines.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    private static long pages(String plan) {
        Matcher total = PAGES.matcher(plan);
        assertThat(total.find()).as(plan).isTrue();
        return Long.parseLong(total.group(1)) + (total.group(2) == null ? 0 : Long.parseLong(total.group(2)));
    }

    private static void insert(int rows, String status) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status)"
                + " select 'acme.order.paid.v1', 'order', (n % 50000)::text, '{\"amount\": 1}', '" + status + "'"
                + " from generate_series(1, " + rows + ") n");
    }
}
