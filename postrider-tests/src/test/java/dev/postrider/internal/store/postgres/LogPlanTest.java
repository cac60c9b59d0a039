package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.LogStore.PageRequest;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.postgresql.PGStatement;

/**
 * What reading a log costs, told by the planner and by the rows it reads, never by a clock. The table grows from test to
 * test.
 */
@TestMethodOrder(OrderAnnotation.class)
class LogPlanTest {
    private static final OutboxLayout LAYOUT = OutboxLayout.log(4);
    private static final PostgresLogSql SQL = new PostgresLogSql(OutboxTable.DEFAULT, LAYOUT.shards());
    private static final int PAGE = 500;
    private static final int SMALL = 10_000;
    private static final int LARGE = 500_000;
    private static final String EVERYTHING = "3:3:";
    private static final Pattern SCAN = Pattern.compile(
            "Index Scan using outbox_shard on outbox .*\\(actual rows=(\\d+)(?:\\.\\d+)? loops=(\\d+)\\)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");

    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(LAYOUT);
        database.execute("alter table outbox set (autovacuum_enabled = off)");
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    @Order(1)
    void pageIsARangeOfTheIndexAtTenThousandEvents() throws SQLException {
        insert(SMALL);
        assertPageIsARange("before statistics were taken", 0);
        database.execute("analyze outbox");
        assertPageIsARange("first page", 0);
        assertPageIsARange("in the middle", SMALL / 2);
    }

    @Test
    @Order(2)
    void idlePollAfterABacklogDoesNotReadItAgain() throws Exception {
        LogStore real =
                Databases.of(DatabaseFamily.POSTGRESQL).logStore(OutboxTable.DEFAULT, LAYOUT, ContentHash.sha256());
        Map<Integer, PageRequest> latest = new ConcurrentHashMap<>();
        try (AssembledRelay relay = new AssembledRelay(
                new AssembledRelay.Parts(listeningTo(real, latest), database.dataSource(), database.dataSource()),
                RecordingPublisher.acceptingAll(),
                RelaySettings.builder()
                        .name("relay")
                        .pollInterval(Duration.ofMillis(20))
                        .leaseLength(Duration.ofMinutes(1))
                        .build(),
                new RelayListener() {})) {
            insert(SMALL + 1);
            relay.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> ahead(real) == 0);
            latest.clear();
            // Somebody writes something else, so that there is something to look for.
            await().until(() -> {
                database.execute("select pg_current_xact_id()");
                return latest.size() == LAYOUT.shards();
            });
        }

        String plan = explain(SQL.read, List.copyOf(latest.values()), 1L << 24);

        assertThat(rowsRead(plan)).as(plan).isZero();
        PageRequest naive = latest.get(0);
        assertThat(rowsRead(explain(SQL.read, List.of(new PageRequest(0, 0, naive.lo(), naive.hi())), 1L << 24)))
                .as("without knowing where to begin")
                .isGreaterThan(SMALL / LAYOUT.shards());
    }

    @Test
    @Order(3)
    void pageIsARangeOfTheIndexInALargeBacklogWithStatisticsFromBefore() throws SQLException {
        insert(LARGE);

        assertPageIsARange("first page", 0);
        assertPageIsARange("in the middle", LARGE / 2);
        assertPageIsARange("at the end", Long.parseLong(database.one("select max(id) from outbox")) - 8 * PAGE);
    }

    private static void assertPageIsARange(String when, long afterId) throws SQLException {
        String now = database.one("select pg_current_snapshot()");
        List<PageRequest> requests = IntStream.range(0, LAYOUT.shards())
                .mapToObj(shard -> new PageRequest(shard, afterId, EVERYTHING, now))
                .toList();
        String read = explain(SQL.read, requests, 1L << 24);
        assertThat(read).as(when).doesNotContain("Sort");
        // What it sorts is no more than the pages, to share their bytes out among them.
        String readLarge = explain(SQL.readLarge, requests, 1L << 24, 1L << 24);
        for (String plan : List.of(read, readLarge)) {
            assertThat(plan)
                    .as(when)
                    .contains("Index Scan using outbox_shard on outbox")
                    .doesNotContain("Seq Scan on outbox")
                    .doesNotContain("Bitmap");
            assertThat(rowsRead(plan)).as(when + "\n" + plan).isEqualTo((long) PAGE * LAYOUT.shards());
        }
    }

    /** By the scan of the index, with those that the condition then left out. */
    private static long rowsRead(String plan) {
        Matcher scan = SCAN.matcher(plan);
        assertThat(scan.find()).as(plan).isTrue();
        Matcher removed = REMOVED.matcher(plan);
        long perLoop =
                Long.parseLong(scan.group(1)) + (removed.find(scan.end()) ? Long.parseLong(removed.group(1)) : 0);
        return perLoop * Long.parseLong(scan.group(2));
    }

    /** The plan that a relay's session has for the prepared statement. */
    private static String explain(String statement, List<PageRequest> requests, Long... bytes) throws SQLException {
        try (Connection connection = database.transaction();
                Statement session = connection.createStatement()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            new PostgresLogStore(OutboxTable.DEFAULT, LAYOUT.shards(), ContentHash.sha256()).prepareSession(connection);
            int parameter = 0;
            String numbered = statement;
            while (numbered.contains("?")) {
                numbered = numbered.replaceFirst("\\?", "\\$" + ++parameter);
            }
            session.execute("prepare page as " + numbered);
            String bound;
            String values = String.join(", ", Collections.nCopies(parameter, "?"));
            try (PreparedStatement execute =
                    connection.prepareStatement("explain (analyze, timing off) execute page(" + values + ")")) {
                PostgresLogStore.bindPages(execute, requests, PAGE, bytes);
                bound = execute.unwrap(PGStatement.class).toString();
            }
            List<String> plan = new ArrayList<>();
            try (ResultSet lines = session.executeQuery(bound)) {
                while (lines.next()) {
                    plan.add(lines.getString(1));
                }
            }
            session.execute("deallocate page");
            connection.rollback();
            return String.join("\n", plan);
        }
    }

    private static LogStore listeningTo(LogStore real, Map<Integer, PageRequest> latest) {
        return (LogStore) Proxy.newProxyInstance(
                LogPlanTest.class.getClassLoader(), new Class<?>[] {LogStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("read")) {
                        for (Object request : (List<?>) arguments[1]) {
                            latest.put(((PageRequest) request).shard(), (PageRequest) request);
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static long ahead(LogStore store) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return store.lag(connection, SMALL).stream()
                    .mapToLong(LogStore.Lag::events)
                    .sum();
        }
    }

    private static void insert(int rows) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.paid.v1', 'order', (n % 50000)::text, '{\"amount\": 1}'"
                + " from generate_series(1, " + rows + ") n");
    }
}
