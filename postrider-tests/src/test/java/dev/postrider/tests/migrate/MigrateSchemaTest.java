package dev.postrider.tests.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.InboxSchema;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose tables migrate touches, and which of them a relay uses. */
@ParameterizedClass
@EnumSource
class MigrateSchemaTest {
    @Parameter
    private TestServer server;

    private TestDatabase database;

    @BeforeEach
    void create() {
        database = TestDatabase.empty(server);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void ofSeveralAtTheSameTimeOneDoesItAndTheOthersSeeThatItIsDone() throws Exception {
        int count = 4;
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<Integer>> applied = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                applied.add(threads.submit(this::migrate));
            }
            int sum = 0;
            for (Future<Integer> one : applied) {
                sum += one.get();
            }
            assertThat(sum).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(migrate()).isZero();
    }

    @Test
    void whoComesWhileAnotherIsAtWorkWaitsForIt() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection other = database.transaction()) {
            holdLock(other);
            Future<Integer> waiting = thread.submit(this::migrate);
            await().until(this::isWaitedForLock);
            assertThat(waiting).isNotDone();

            releaseLock(other);

            assertThat(waiting.get()).isEqualTo(1);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void tablesMadeByTheScriptCountAsMigrated() throws SQLException {
        run(OutboxSchema.script(server.family(), OutboxTable.DEFAULT, OutboxLayout.claim()));
        assertThat(migrate()).isZero();

        run(InboxSchema.script(server.family(), "inbox"));
        assertThat(InboxSchema.migrate(database.dataSource())).isZero();
    }

    /** By hand, without a transaction around it. */
    @Test
    void tablesOfAScriptThatWasBrokenOffAreNotTakenForAnOutbox() throws SQLException {
        String script = OutboxSchema.script(server.family(), OutboxTable.DEFAULT, OutboxLayout.claim());
        run(script.substring(0, script.lastIndexOf(server == TestServer.POSTGRES ? "insert" : "replace")));

        Relay relay = Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                .build();
        assertThatThrownBy(relay::start).hasMessageContaining("is not complete");
        relay.stop();
        if (server == TestServer.POSTGRES) {
            assertThatThrownBy(this::migrate).hasMessageContaining("a script that makes them was broken off");
        } else {
            assertThat(migrate()).isEqualTo(1);
            assertThat(migrate()).isZero();
        }
    }

    @Test
    void foreignTableOfThatNameIsLeftAlone() {
        database.execute("create table outbox (id bigint, words varchar(20))");

        assertThatThrownBy(this::migrate)
                .isInstanceOf(PostriderException.class)
                .hasMessageContainingAll("is not Postrider's", "--table");

        database.execute("create table outbox_settings (theme varchar(20))");
        assertThatThrownBy(this::migrate).hasMessageContainingAll("is not Postrider's", "--table");
        assertThat(tables()).containsExactly("outbox", "outbox_settings");

        database.execute("create table inbox (id bigint)");
        assertThatThrownBy(() -> InboxSchema.migrate(database.dataSource()))
                .hasMessageContainingAll("is not Postrider's", "--inbox");
    }

    @Test
    void changedColumnsAreRefusedAndFurtherOnesWelcome() {
        migrate();
        database.execute("alter table outbox add column tenant varchar(20)");
        database.execute("alter table outbox add column region varchar(20) not null default 'eu'");
        assertThat(migrate()).isZero();

        database.execute("alter table outbox add column cost integer not null");
        assertThatThrownBy(this::migrate).hasMessageContaining("column cost is not one of Postrider's");
        database.execute("alter table outbox drop column cost");

        database.execute("alter table outbox_lease drop column state");
        assertThatThrownBy(this::migrate)
                .hasMessageContainingAll("column state is missing", "postrider migrate --print");
        database.execute(retype("outbox_lease", "owner"));
        assertThatThrownBy(this::migrate).hasMessageContaining("column owner is int");

        database.execute("drop table outbox_audit");
        database.execute("drop table outbox_lease");
        assertThatThrownBy(this::migrate).hasMessageContaining("is missing");
    }

    /** Relays of two versions work side by side while they are replaced, one after the other. */
    @Test
    void tablesOneVersionNewerAreUsedAndSaidOnceAndTwoVersionsNewerAreRefused() {
        migrate();
        database.execute("alter table outbox add column added_later varchar(20)");
        setVersion(2);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try (Relay relay = Relay.builder(database.dataSource(), publisher).build()) {
            relay.start();
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '42', '{}')");
            await().until(() -> publisher.accepted().size() == 1);
        } finally {
            System.setErr(before);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).containsOnlyOnce("made by a newer Postrider");
        assertThatThrownBy(this::migrate).hasMessageContainingAll("version 2", "migrate with the newer Postrider");

        setVersion(3);
        Relay relay = Relay.builder(database.dataSource(), publisher).build();
        assertThatThrownBy(relay::start).hasMessageContainingAll("version 3", "Use a newer Postrider");
        relay.stop();
    }

    private int migrate() {
        return OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT);
    }

    private void setVersion(int version) {
        database.execute("update outbox_settings set value = '" + version + "' where name = 'schema_version'");
    }

    private List<String> tables() {
        return database.column("select table_name from information_schema.tables where table_schema = "
                + server.currentSchema() + " order by 1");
    }

    private String retype(String table, String column) {
        return server == TestServer.POSTGRES
                ? "alter table " + table + " alter column " + column + " type integer using 0"
                : "alter table " + table + " modify column " + column + " integer not null";
    }

    /** As a client of the database does it: comments hold semicolons, too. */
    private void run(String script) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String one : script.replaceAll("--[^\n]*", "").strip().split(";\\s*")) {
                statement.execute(one);
            }
        }
    }

    private void holdLock(Connection other) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(
                    server.family() == DatabaseFamily.MYSQL
                            ? "select get_lock(concat('postrider/', md5(concat(database(), '.outbox'))), 60)"
                            : "select pg_advisory_lock(hashtextextended('postrider operators of outbox', 0))");
        }
    }

    private void releaseLock(Connection other) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(
                    server.family() == DatabaseFamily.MYSQL
                            ? "do release_lock(concat('postrider/', md5(concat(database(), '.outbox'))))"
                            : "select pg_advisory_unlock(hashtextextended('postrider operators of outbox', 0))");
        }
    }

    private boolean isWaitedForLock() {
        return !database.one(
                        server.family() == DatabaseFamily.MYSQL
                                ? "select count(*) from information_schema.processlist where state = 'User lock'"
                                        + " and db = database()"
                                : "select count(*) from pg_stat_activity where wait_event = 'advisory'"
                                        + " and datname = current_database()")
                .equals("0");
    }
}
