package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What a page of a replay costs in a log of hundreds of thousands of events, told by the planner and by the pages it
 * touches, never by a clock. Statistics are taken between the tests.
 */
@TestMethodOrder(OrderAnnotation.class)
class LogReplayPlanTest {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    private static final int SHARDS = 4;
    private static final int ROWS = 300_000;
    private static final int PAGE = 500;

    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(OutboxLayout.log(SHARDS));
        LogTables log = new LogTables(database);
        database.execute("alter table outbox set (autovacuum_enabled = off);"
                + " alter table outbox_parked set (autovacuum_enabled = off);"
                + " alter table outbox_dead_letter set (autovacuum_enabled = off)");
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, created_at)"
                + " select 'acme.order.paid.v1', 'order', (n % 30000)::text, '{\"amount\": 1}',"
                + " timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second' from generate_series(1, " + ROWS
                + ") n");
        log.readAll();
        for (long id = 1_000; id <= ROWS; id += 10_000) {
            log.fail(id);
            log.bury(id + 1);
        }
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    @Order(1)
    void pageIsARangeOfAnIndexBeforeStatisticsWereTaken() throws SQLException {
        assertRangesOfIndexes();
    }

    @Test
    @Order(2)
    void pageIsARangeOfAnIndexWithStatistics() throws SQLException {
        database.execute("vacuum analyze");

        assertRangesOfIndexes();
    }

    private static void assertRangesOfIndexes() throws SQLException {
        PostgresLogAdminSql sql = new PostgresLogAdminSql(OutboxTable.DEFAULT, SHARDS);
        OffsetDateTime begin = OffsetDateTime.parse("2026-01-01T00:00:00Z");
        for (long after : new long[] {0, 100_000, 299_000}) {
            String history = explain(
                    PostgresAdminSql.WALK_ALONG_INDEXES,
                    sql.publishedOfAggregate(),
                    "order",
                    "17",
                    after,
                    (long) ROWS,
                    PAGE);
            assertThat(history)
                    .contains("Index Scan using outbox_aggregate on outbox")
                    .doesNotContain("Sort");
            assertThat(pages(history)).as(history).isLessThan(150);

            String time = explain(
                    PostgresAdminSql.WALK_ALONG_INDEXES,
                    sql.publishedByTime(),
                    begin,
                    begin.plusDays(30),
                    after,
                    (long) ROWS,
                    PAGE);
            assertThat(time).contains("Index Scan using outbox_pkey on outbox").doesNotContain("Sort");
            assertThat(pages(time)).as(time).isLessThan(3 * PAGE);

            // As the planner sees it, few rows are in both ranges.
            String hour = explain(
                    PostgresAdminSql.WALK_ALONG_INDEXES,
                    sql.publishedByTime(),
                    begin.plusDays(1),
                    begin.plusHours(25),
                    86_399L,
                    90_000L,
                    PAGE);
            assertThat(hour).contains("Index Scan using outbox_pkey on outbox").doesNotContain("Sort");
            assertThat(pages(hour)).as(hour).isLessThan(3 * PAGE);
        }
        assertThat(explain("reset all", sql.extentOfAggregate(), "order", "17", 0L))
                .contains("outbox_aggregate")
                .doesNotContain("Seq Scan on outbox o");
    }

    private static String explain(String settings, String statement, Object... parameters) throws SQLException {
        try (Connection connection = database.transaction();
                Statement prepare = connection.createStatement();
                PreparedStatement explain = connection.prepareStatement("explain (analyze, buffers) " + statement)) {
            prepare.execute(settings);
            for (int i = 0; i < parameters.length; i++) {
                explain.setObject(i + 1, parameters[i]);
            }
            StringBuilder plan = new StringBuilder();
            try (ResultSet lines = explain.executeQuery()) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
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
