package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What a chunk of a clean-up costs beside hundreds of thousands of published rows, told by the planner and by the
 * pages it touches, never by a clock. Statistics are taken between the tests.
 */
@TestMethodOrder(OrderAnnotation.class)
class PurgePlanTest {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    private static final Pattern LOOKED_AT =
            Pattern.compile("Index Scan using outbox_status on outbox .*actual time=\\S+ rows=(\\d+)");
    private static final OutboxStore STORE = new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256());
    private static final int CHUNK = 1000;

    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox();
        database.execute("alter table outbox set (autovacuum_enabled = off)");
        insert(50_000, "40 days", "1 day");
        insert(50_000, "30 days", "30 days");
        insert(200_000, "1 day", "1 day");
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    @Order(1)
    void chunkWalksAlongTheIndexBeforeStatisticsWereTaken() throws SQLException {
        assertWalksAlongTheIndex();
    }

    @Test
    @Order(2)
    void chunkWalksAlongTheIndexWithStatistics() throws SQLException {
        database.execute("vacuum analyze outbox");

        assertWalksAlongTheIndex();
    }

    @Test
    @Order(3)
    void chunkWithNothingToDeleteTouchesAHandfulOfPages() throws SQLException {
        String plan = explain(Duration.ofDays(60), Instant.EPOCH);

        assertThat(pages(plan)).as(plan).isLessThan(10);
    }

    @Test
    @Order(4)
    void chunkThatMeetsOnlyEventsPublishedLateLooksAtNoMoreThanItsLimit() throws SQLException {
        String plan = explain(Duration.ofDays(7), Instant.EPOCH);

        assertThat(lookedAt(plan)).as(plan).isEqualTo(CHUNK);
        assertThat(pages(plan)).as(plan).isLessThan(CHUNK);
    }

    @Test
    @Order(5)
    void chunkCostsTheSameWithStatisticsFromWhenNothingWasPublished() throws SQLException {
        database.execute("truncate outbox");
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at)"
                + " select 'acme.order.paid.v1', 'order', '1', '1', 'HELD', now() - interval '20 days'"
                + " from generate_series(1, 3000)");
        database.execute("analyze outbox");
        database.execute("truncate outbox");
        insert(100_000, "30 days", "30 days");

        String plan = explain(Duration.ofDays(7), Instant.EPOCH);

        assertThat(lookedAt(plan)).as(plan).isEqualTo(CHUNK);
        assertThat(pages(plan)).as(plan).isLessThan(20 * CHUNK);
    }

    @Test
    @Order(6)
    void chunkDoesNotMeetWhatEarlierOnesDeletedThoughAnOldTransactionKeepsItAndAllShareAMoment() throws SQLException {
        database.execute("truncate outbox");
        insert(20_000, "30 days", "30 days");
        database.execute("update outbox set created_at = '2020-01-01', published_at = '2020-01-01'");
        database.execute("vacuum analyze outbox");
        try (Connection reader = database.transaction();
                Connection connection = database.dataSource().getConnection()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.createStatement().execute("select count(*) from outbox");
            STORE.prepareRelaySession(connection);
            Purged.Position position = Purged.Position.START;
            for (int chunk = 0; chunk < 10; chunk++) {
                position = STORE.purgePublished(connection, Duration.ofDays(7), position, CHUNK)
                        .last();
            }
            STORE.restoreSession(connection);

            String plan = explain(Duration.ofDays(7), position);

            assertThat(plan).doesNotContain("Rows Removed by Filter");
            assertThat(lookedAt(plan)).as(plan).isEqualTo(CHUNK);
            assertThat(pages(plan)).as(plan).isLessThan(20 * CHUNK);
            reader.rollback();
        }
    }

    private static void assertWalksAlongTheIndex() throws SQLException {
        Instant afterTheLateOnes = Instant.now().minus(Duration.ofDays(35));
        for (String plan : new String[] {
            explain(Duration.ofDays(7), Instant.EPOCH),
            explain(Duration.ofDays(7), afterTheLateOnes),
            explain(Duration.ofDays(60), Instant.EPOCH)
        }) {
            assertThat(plan)
                    .contains("Index Scan using outbox_status on outbox")
                    .doesNotContain("Seq Scan on outbox")
                    .doesNotContain("Bitmap Heap Scan on outbox");
        }
    }

    private static String explain(Duration olderThan, Instant after) throws SQLException {
        return explain(olderThan, new Purged.Position(after, 0));
    }

    /** Runs a chunk under EXPLAIN and takes it back. */
    private static String explain(Duration olderThan, Purged.Position after) throws SQLException {
        try (Connection connection = database.transaction()) {
            STORE.prepareRelaySession(connection);
            StringBuilder plan = new StringBuilder();
            String statement = "explain (analyze, buffers) " + new PostgresSql(OutboxTable.DEFAULT).purgePublished;
            try (PreparedStatement explain = connection.prepareStatement(statement)) {
                explain.setLong(1, olderThan.toMillis());
                explain.setObject(2, after.createdAt().atOffset(ZoneOffset.UTC));
                explain.setLong(3, after.id());
                explain.setInt(4, CHUNK);
                explain.setLong(5, olderThan.toMillis());
                try (ResultSet lines = explain.executeQuery()) {
                    while (lines.next()) {
                        plan.append(lines.getString(1)).append('\n');
                    }
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

    private static long lookedAt(String plan) {
        Matcher scan = LOOKED_AT.matcher(plan);
        assertThat(scan.find()).as(plan).isTrue();
        return Long.parseLong(scan.group(1));
    }

    private static void insert(int rows, String createdAgo, String publishedAgo) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at,"
                + " published_at) select 'acme.order.paid.v1', 'order', (n % 50000)::text, '{\"amount\": 1}',"
                + " 'PUBLISHED', now() - interval '" + createdAgo + "' + n * interval '1 microsecond',"
                + " now() - interval '" + publishedAgo + "' from generate_series(1, " + rows + ") n");
    }
}
