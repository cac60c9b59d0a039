package dev.postrider.tests.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.LayoutChange;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.Split;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is different on MariaDB, and so on MySQL. */
class MariaDbTest {
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(TestServer.MARIADB);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        database.clear();
    }

    @Test
    void outcomeThatCannotBeRecordedOnceForAReasonNobodyKnowsIsRecordedThen() {
        database.execute("create sequence tries");
        database.execute("create trigger fail_once before update on outbox for each row begin"
                + " if new.status = 'FAILED' and nextval(tries) = 1 then"
                + " signal sqlstate 'HY000' set mysql_errno = 1815, message_text = 'something unknown'; end if; end");
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', '1', '{}')");
        RecordingPublisher publisher = RecordingPublisher.answering(event -> new PublishResult.Rejected("no", false));
        try (Relay relay = Relay.builder(database.dataSource(), publisher).build()) {
            relay.runOnce();

            assertThat(database.one("select status from outbox")).isEqualTo("FAILED");
            assertThat(database.one("select count(*) from outbox_dead_letter")).isEqualTo("0");
        } finally {
            database.execute("drop trigger fail_once");
            database.execute("drop sequence tries");
        }
    }

    @Test
    void orderPerKeyIsRefusedWhereIdsComeFromSeveralPrimaries() {
        database.execute("set global auto_increment_increment = 3");
        try (Relay ordered = relay(Ordering.KEY);
                Relay unordered = relay(Ordering.NONE)) {
            assertThatThrownBy(ordered::start)
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("auto_increment_increment is 3")
                    .hasMessageContaining("ordering to none");
            unordered.start();
        } finally {
            database.execute("set global auto_increment_increment = 1");
        }
    }

    private static Relay relay(Ordering ordering) {
        return Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                .settings(RelaySettings.builder().ordering(ordering).build())
                .build();
    }

    @Test
    void logModeIsRefusedAndClaimIsTheDefault() {
        OutboxTable other = OutboxTable.parse("other");

        assertThatThrownBy(() -> OutboxSchema.migrate(database.dataSource(), other, OutboxLayout.log(4)))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith("Log mode needs PostgreSQL.");
        OutboxSchema.migrate(database.dataSource(), other);
        assertThat(database.one("select value from other_settings where name = 'mode'"))
                .isEqualTo("claim");
        assertThatThrownBy(() -> LayoutChange.builder(database.dataSource())
                        .table(other)
                        .build()
                        .alter(new LayoutRequest(OutboxMode.LOG, null, null), "me"))
                .hasMessageContaining("claim mode only");
    }

    @Test
    void connectionGoesBackAsItCame() throws SQLException {
        String settings = "select concat_ws('|', @@tx_isolation, @@sql_mode, @@innodb_lock_wait_timeout,"
                + " @@idle_transaction_timeout)";
        try (Connection connection = database.dataSource().getConnection()) {
            OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            String before = one(connection, settings);
            store.prepareRelaySession(connection);
            assertThat(one(connection, settings)).isEqualTo("READ-COMMITTED|STRICT_ALL_TABLES|5|10");

            store.restoreSession(connection);

            assertThat(before).startsWith("SERIALIZABLE|PIPES_AS_CONCAT,STRICT_TRANS_TABLES|60|");
            assertThat(one(connection, settings)).isEqualTo(before);
        }
    }

    @Test
    void timeZoneOfASessionChangesNothing() throws SQLException {
        Instant time = Instant.parse("2026-03-29T01:30:00.123456Z");
        try (Connection connection = database.transaction()) {
            execute(connection, "set time_zone = '+05:00'");
            try (Connection open = database.transaction()) {
                execute(open, "update outbox_settings set value = '7' where name = 'shards'");
                OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
                assertThat(store.statusStore(connection).status(connection).openTransactions())
                        .singleElement()
                        .satisfies(it -> assertThat(it.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
                open.rollback();
            }
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.a.b.v1")
                                    .aggregate("a", "a")
                                    .json("1")
                                    .occurredAt(time)
                                    .build());
            execute(
                    connection,
                    "insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.a.b.v1', 'a', 'b', '2')");
            connection.commit();
            execute(connection, "set time_zone = '+00:00'");
        }

        assertThat(database.one("select count(*) from outbox"
                        + " where abs(timestampdiff(second, created_at, utc_timestamp())) < 60"))
                .isEqualTo("2");
        Claimed claimed = claim(10);
        assertThat(claimed.events().get(0).event().occurredAt()).isEqualTo(time);
        assertThat(claimed.events().get(1).claim().age()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void nameThatDoesNotFitIsRefusedAndNotCutOff() throws SQLException {
        try (Connection connection = database.transaction()) {
            assertThatThrownBy(() -> Outbox.builder()
                            .build()
                            .write(
                                    connection,
                                    OutboxEvent.builder("acme.a.b.v1")
                                            .aggregate("a", "x".repeat(256))
                                            .json("1")
                                            .build()))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("aggregate id")
                    .hasMessageContaining("256");
        }
    }

    @Test
    void eventIdThatIsNoUuidIsNoObstacleToGivingItsEventUp() throws SQLException {
        for (String id : List.of("none", "", "\u00e4 \"quoted\" \uD83D\uDE00", "'' back\\\\slash", "nul\\0")) {
            database.execute("insert into outbox (event_id, event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('" + id + "', 'acme.a.b.v1', 'a', 'a', '{}')");
        }
        try (Connection connection = database.dataSource().getConnection()) {
            OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
            store.prepareRelaySession(connection);

            List<Settlement.Dead> unsendable =
                    store.claim(connection, request(10)).unsendable();

            assertThat(store.bury(connection, unsendable, false)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
            store.restoreSession(connection);
        }
    }

    @Test
    void claimCostsTheSameBeforeALargeBacklogAndBehindManyHeldEvents() throws SQLException {
        // One key with everything before it held, one with a backlog, and others.
        insert("held", 1, 1);
        database.execute("update outbox set status = 'FAILED', next_attempt_at = now() + interval '1' hour");
        insert("held", 2, 10_000);
        database.execute("update outbox set status = 'HELD' where id > 1");
        insert("new", 10_001, 10_100);
        insert("held", 10_101, 10_101);
        insert("backlog", 10_102, 30_000);
        try (Connection connection = database.dataSource().getConnection()) {
            OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
            store.prepareRelaySession(connection);
            execute(connection, "flush status");
            assertThat(store.releaseHeld(connection, Long.MIN_VALUE, 1_000, 5_000)
                            .events())
                    .isZero();
            assertThat(rowsRead(connection))
                    .as("at worst each entry of held events, and not their rows")
                    .isLessThan(10_100);
            execute(connection, "flush status");

            Claimed claimed = store.claim(connection, request(200));

            assertThat(claimed.events()).hasSize(199);
            assertThat(claimed.held()).isEqualTo(1);
            assertThat(rowsRead(connection))
                    .as("rows and index entries looked at")
                    .isLessThan(200 * 15);
            settle(connection, store, claimed);
            store.restoreSession(connection);
        }
    }

    @Test
    void chunkOfACleanUpCostsTheSameHoweverManyEventsOfItsMomentEarlierOnesPassed() throws SQLException {
        insert("late", 1, 5_000);
        database.execute("update outbox set status = 'PUBLISHED', created_at = '2020-01-01', published_at = now()");
        try (Connection connection = database.dataSource().getConnection()) {
            OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
            store.prepareRelaySession(connection);
            Purged.Position position = Purged.Position.START;
            for (int chunk = 0; chunk < 20; chunk++) {
                execute(connection, "flush status");
                Purged purged = store.purgePublished(connection, Duration.ofDays(7), position, 200);
                position = purged.last();
                assertThat(purged.looked()).isEqualTo(200);
                assertThat(rowsRead(connection)).as("chunk " + chunk).isLessThan(200 * 3);
            }
            store.restoreSession(connection);
        }
    }

    private static void settle(Connection connection, OutboxStore store, Claimed claimed) throws SQLException {
        execute(connection, "flush status");
        List<Settlement> published = claimed.events().stream()
                .<Settlement>map(stored -> new Settlement.Published(stored.claim()))
                .toList();

        assertThat(store.settle(connection, published, OnPublished.KEEP)).hasSize(199);

        assertThat(rowsRead(connection)).isLessThan(200 * 5);
    }

    private static long rowsRead(Connection connection) throws SQLException {
        return Long.parseLong(one(
                connection,
                "select sum(variable_value) from information_schema.session_status"
                        + " where variable_name in ('HANDLER_READ_FIRST', 'HANDLER_READ_KEY', 'HANDLER_READ_NEXT',"
                        + " 'HANDLER_READ_PREV', 'HANDLER_READ_RND_NEXT', 'HANDLER_ICP_ATTEMPTS')"));
    }

    private static Claimed claim(int limit) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            OutboxStore store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
            return store.claim(connection, request(limit));
        }
    }

    private static ClaimRequest request(int limit) {
        return new ClaimRequest("one", Ordering.KEY, limit, limit, Long.MAX_VALUE, Split.ALL);
    }

    private static void insert(String key, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.a.b.v1', 'a', '" + key + "', '1' from " + TestServer.MARIADB.numbers(from, to));
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
