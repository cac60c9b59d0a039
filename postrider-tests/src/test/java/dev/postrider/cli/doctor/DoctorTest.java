package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the doctor says about a database and the outbox in it, and that its fixes heal. */
class DoctorTest {
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.empty();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void createOutbox() {
        database.execute("drop schema public cascade; create schema public; grant usage on schema public to public");
        database.execute(OutboxSchema.script(DatabaseFamily.POSTGRESQL, OutboxTable.DEFAULT, OutboxLayout.claim()));
    }

    /** What a test left prepared would keep the next one from its tables. */
    @AfterEach
    void endPreparedTransactions() {
        database.column("select quote_literal(gid) from pg_prepared_xacts where database = current_database()")
                .forEach(gid -> database.execute("rollback prepared " + gid));
    }

    @AfterEach
    void forgetSettings() {
        String name = database.one("select current_database()");
        database.execute("alter database " + name + " reset all; alter role "
                + DevPostgres.shared().user() + " in database " + name + " reset all");
    }

    @Test
    void freshlyMigratedOutboxIsHealthy() {
        migrate();

        Visit visit = visit().assertHealthy();

        assertThat(visit.only("outbox.migrations").finding()).isEqualTo("The tables have version 1, as they should.");
        assertThat(visit.findings())
                .extracting(Visit.Said::check)
                .contains("database.version", "outbox.indexes", "outbox.sequence", "broker.connection");
    }

    @Test
    void brokerIsNotAskedForIfEventsGoElsewhere() {
        migrate();

        Map<String, String> webhook = new HashMap<>(environment("POSTRIDER_RELAY_DESTINATION", "webhook"));
        webhook.put("POSTRIDER_WEBHOOK_URL", "https://shop.example/hooks/token");
        // Set, but not where events go: it must not be looked for.
        webhook.put("POSTRIDER_KAFKA", "127.0.0.1:1");
        Visit visit = Visit.of(Limits.STANDARD, webhook).assertHealthy();

        assertThat(visit.only("broker.connection").finding())
                .isEqualTo("relay.destination is webhook: there is no broker to look at.");
    }

    @Test
    void outboxMadeByScriptInASchemaOfItsOwnIsHealthy() {
        database.execute("drop schema if exists sales cascade; create schema sales; "
                + OutboxSchema.script(
                        DatabaseFamily.POSTGRESQL, OutboxTable.parse("sales.order_outbox"), OutboxLayout.claim()));

        Visit visit = Visit.of(Limits.STANDARD, environment("POSTRIDER_TABLE", "sales.order_outbox"))
                .assertHealthy();

        assertThat(visit.only("outbox.migrations").finding()).contains("version 1");
    }

    @Test
    void wordsEndWithASummaryAndCarryNoColourOffTheTerminal() {
        database.execute("drop index outbox_due");

        Visit visit = Visit.inWords(Limits.STANDARD, environment());

        assertThat(visit.out().lines())
                .contains("Database", "Outbox", "Broker")
                .anyMatch(line -> line.matches("  ERROR    indexes +The index outbox_due is missing.*"))
                .anyMatch(line -> line.matches(" +fix: create index concurrently outbox_due on .*"))
                .last()
                .asString()
                .matches("Not healthy: 1 error, 0 warnings, \\d infos, \\d+ OK\\.");
        assertThat(visit.out()).doesNotContain("\u001b");
        assertThat(visit.status()).isEqualTo(1);
    }

    // ---- the server

    @Test
    void unreachableDatabaseIsOneFindingWithoutItsPassword() {
        Visit visit = Visit.of(
                Limits.STANDARD, Map.of("POSTRIDER_DB_URL", "jdbc:postgresql://127.0.0.1:1/app?password=s3cret"));

        Visit.Said said = visit.assertOnlyComplaint("database.connection", "ERROR");
        assertThat(said.finding()).contains("127.0.0.1:1/app", "refused").doesNotContain("s3cret");
        assertThat(said.fix()).contains("db.url");
    }

    @Test
    void openTransactionIsNamedWithItsProcessAndTheFixEndsIt() throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                database.jdbcUrl() + "?ApplicationName=night-job",
                DevPostgres.shared().user(),
                DevPostgres.shared().password())) {
            connection.setAutoCommit(false);
            insertAndLeaveOpen(connection);
            String pid = database.one("select pid from pg_stat_activity where application_name = 'night-job'");

            visit().assertHealthy();
            Visit.Said said = Visit.of(OtherLimits.IMPATIENT, environment())
                    .assertOnlyComplaint("database.transactions", "WARNING");
            assertThat(said.finding()).contains("Server process " + pid, "night-job", "idle in transaction");
            assertThat(said.fix()).contains("pg_terminate_backend(" + pid + ")");

            database.execute(said.fix());
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> Visit.of(OtherLimits.IMPATIENT, environment())
                            .errors()
                            .isEmpty());
        }
    }

    @Test
    void transactionThatIsOpenForAMomentOnlyIsInformation() throws SQLException {
        try (Connection connection = database.transaction()) {
            insertAndLeaveOpen(connection);

            Visit visit = Visit.of(OtherLimits.ATTENTIVE, environment()).assertHealthy();

            assertThat(visit.only("database.transactions").severity()).isEqualTo("INFO");
            connection.rollback();
        }
    }

    @Test
    void forgottenPreparedTransactionIsNamedAndTheFixEndsIt() throws SQLException {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            insertAndLeaveOpen(connection);
            statement.execute("prepare transaction 'what''s left'");
        }

        visit().assertHealthy();
        Visit.Said said = Visit.of(OtherLimits.IMPATIENT, environment())
                .assertOnlyComplaint("database.prepared-transactions", "WARNING");
        assertThat(said.finding()).contains("[what's left]");

        database.execute(said.fix().split(" {2}or {2}")[0]);
        assertThat(Visit.of(OtherLimits.IMPATIENT, environment()).errors()).isEmpty();
    }

    @Test
    void replicationSlotWithoutAReaderIsNamedAndTheFixDropsIt() {
        database.execute("select pg_create_physical_replication_slot('doctor_test', true)");
        try {
            assertThat(visit().assertHealthy()
                            .only("database.replication-slots")
                            .severity())
                    .isEqualTo("INFO");
            Visit.Said said = Visit.of(OtherLimits.IMPATIENT, environment())
                    .assertOnlyComplaint("database.replication-slots", "WARNING");
            assertThat(said.finding()).contains("doctor_test");

            database.execute(said.fix().substring(said.fix().indexOf("select")));
            assertThat(Visit.of(OtherLimits.IMPATIENT, environment()).errors()).isEmpty();
        } finally {
            database.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots"
                    + " where slot_name = 'doctor_test'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"database {database}", "role {user} in database {database}"})
    void synchronousCommitThatIsOffIsAWarningAndTheFixSwitchesItOn(String where) {
        String name = database.one("select current_database()");
        String place = where.replace("{database}", name)
                .replace("{user}", DevPostgres.shared().user());
        database.execute("alter " + place + " set synchronous_commit = off");

        Visit.Said said = visit().assertOnlyComplaint("database.durability", "WARNING");
        assertThat(said.finding()).contains("synchronous_commit is off", "crash");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void otherIsolationLevelIsInformation() {
        setForDatabase("default_transaction_isolation = 'serializable'");

        assertThat(visit().assertHealthy().only("database.isolation").finding()).contains("serializable");
    }

    @Test
    void readOnlyTransactionsAreAnError() {
        setForDatabase("default_transaction_read_only = on");

        visit().assertOnlyComplaint("database.writable", "ERROR");
    }

    @Test
    void otherTimeHereIsInformation() {
        Visit visit = Visit.of(OtherLimits.PEDANTIC, environment()).assertHealthy();

        assertThat(visit.only("database.clock").severity()).isEqualTo("INFO");
    }

    @Test
    void fewFreeConnectionsAreAWarning() {
        Visit.Said said =
                Visit.of(OtherLimits.GREEDY, environment()).assertOnlyComplaint("database.connections", "WARNING");

        assertThat(said.finding()).contains("of 200 connections");
    }

    // ---- the tables

    @Test
    void missingTableIsNamed() {
        database.execute("drop table outbox_lease");

        Visit.Said said = visit().assertOnlyComplaint("outbox.tables", "ERROR");
        assertThat(said.finding()).contains("\"outbox_lease\"").doesNotContain("\"outbox\"");
        assertThat(said.fix()).contains("postrider migrate");
    }

    @Test
    void missingColumnIsNamed() {
        database.execute("alter table outbox drop column headers");

        assertThat(visit().assertOnlyComplaint("outbox.tables", "ERROR").finding())
                .contains("column headers is missing");
    }

    @Test
    void changedColumnIsNamedAndOneOfTheUsersOwnIsNot() {
        database.execute("alter table outbox add column tenant text");
        visit().assertHealthy();

        database.execute("alter table outbox alter column source type varchar(50)");
        assertThat(visit().assertOnlyComplaint("outbox.tables", "ERROR").finding())
                .contains("column source is character varying(50) instead of text");
    }

    @Test
    void incompleteOutboxIsNotHealthyAndNothingElseIsSaidOfIt() {
        insert("now()");
        database.execute("delete from outbox_settings where name in ('schema_version', 'mode')");

        Visit visit = visit();

        assertThat(visit.assertOnlyComplaint("outbox.migrations", "ERROR").fix())
                .isEqualTo("postrider migrate");
        assertThat(visit.findings()).noneMatch(said -> said.finding().contains("Every event has been sent"));
    }

    @Test
    void newerTablesAreNamed() {
        database.execute("update outbox_settings set value = '2' where name = 'schema_version'");
        assertThat(visit().assertOnlyComplaint("outbox.migrations", "WARNING").finding())
                .startsWith("The tables have version 2, made by a newer Postrider");

        database.execute("update outbox_settings set value = '3' where name = 'schema_version'");
        assertThat(visit().assertOnlyComplaint("outbox.migrations", "ERROR").finding())
                .contains("have version 3");
    }

    @Test
    void everyDroppedIndexIsNamedWithTheStatementThatRepairsIt() {
        List<String> indexes = database.column("select indexrelid::regclass from pg_index"
                + " where indrelid in ('outbox'::regclass, 'outbox_dead_letter'::regclass) and not indisprimary");
        assertThat(indexes).hasSizeGreaterThan(6).contains("outbox_due");
        Map<String, String> definitions = new HashMap<>();
        for (String index : indexes) {
            definitions.put(index, database.one("select pg_get_indexdef('" + index + "'::regclass)"));
            database.execute("drop index " + index);
        }

        Visit visit = visit();
        assertThat(visit.errors()).hasSameSizeAs(indexes);
        for (Visit.Said said : visit.errors()) {
            assertThat(said.check()).isEqualTo("outbox.indexes");
            database.execute(said.fix());
        }

        visit().assertHealthy();
        definitions.forEach(
                (index, definition) -> assertThat(database.one("select pg_get_indexdef('" + index + "'::regclass)"))
                        .isEqualTo(definition));
    }

    @Test
    void invalidIndexIsNamedAndTheFixRebuildsIt() {
        database.execute("update pg_index set indisvalid = false where indexrelid = 'outbox_key'::regclass");

        Visit.Said said = visit().assertOnlyComplaint("outbox.indexes", "ERROR");
        assertThat(said.finding()).contains("outbox_key is not valid");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void missingPrimaryKeyIsNamedAndTheFixAddsIt() {
        database.execute("alter table outbox drop constraint outbox_pkey");

        Visit.Said said = visit().assertOnlyComplaint("outbox.indexes", "ERROR");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @ParameterizedTest
    @CsvSource({
        "cache 20, CACHE 20",
        "cycle, starts over",
        "increment by -1 minvalue -1000 maxvalue 1000, counts down",
    })
    void sequenceThatDoesNotKeepTheOrderIsAnErrorAndTheFixHeals(String change, String words) {
        database.execute("alter sequence outbox_id_seq " + change);

        Visit.Said said = visit().assertOnlyComplaint("outbox.sequence", "ERROR");
        assertThat(said.finding()).contains(words);

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void idBeforeTransactionNumberIsAWarning() {
        database.execute("alter table outbox drop column tx_id;"
                + " alter table outbox add column tx_id xid8 not null default pg_current_xact_id()");

        visit().assertOnlyComplaint("outbox.columns", "WARNING");
    }

    @Test
    void missingPrivilegesAreNamedAndTheFixesGrantThem() {
        database.execute("create role \"Weak\" login password 'weak'");
        try {
            database.execute("grant select on outbox, outbox_lease, outbox_settings to \"Weak\"");
            Map<String, String> weak = environment("POSTRIDER_DB_USER", "Weak", "POSTRIDER_DB_PASSWORD", "weak");

            Visit visit = Visit.of(Limits.STANDARD, weak);
            assertThat(visit.of("outbox.privileges"))
                    .extracting(Visit.Said::fix)
                    .contains("grant update on \"outbox\" to \"Weak\";")
                    .contains("grant insert, update, delete on \"outbox_lease\" to \"Weak\";");
            assertThat(visit.only("outbox.dead-letters").finding())
                    .contains("could not be checked", "permission denied for table outbox_dead_letter");
            assertThat(visit.of("database.transactions"))
                    .extracting(Visit.Said::fix)
                    .contains("grant pg_read_all_stats to \"Weak\";");
            assertThat(visit.status()).isEqualTo(1);

            visit.of("outbox.privileges").forEach(said -> database.execute(said.fix()));
            Visit.of(Limits.STANDARD, weak).assertHealthy();
        } finally {
            database.execute("drop owned by \"Weak\"; drop role \"Weak\"");
        }
    }

    @Test
    void autovacuumThatIsOffIsAWarningAndTheFixSwitchesItOn() {
        database.execute("alter table outbox set (autovacuum_enabled = off)");

        Visit.Said said = visit().assertOnlyComplaint("outbox.vacuum", "WARNING");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void manyDeadRowsAreAWarning() {
        insert("now()");
        database.execute("delete from outbox; select pg_stat_force_next_flush()");
        await().atMost(Duration.ofSeconds(10))
                .until(() -> database.one("select n_dead_tup > 0 from pg_stat_user_tables where relname = 'outbox'")
                        .equals("t"));

        Visit.Said said = Visit.of(OtherLimits.TIDY, environment()).assertOnlyComplaint("outbox.vacuum", "WARNING");

        assertThat(said.finding()).contains("1 dead row and 0 live rows");
        assertThat(said.fix()).startsWith("vacuum (verbose) \"outbox\";");
    }

    // ---- what is in them

    @Test
    void unsentEventsWithoutARelayAreAWarning() {
        insert("now()");

        assertThat(visit().assertOnlyComplaint("outbox.relays", "WARNING").finding())
                .contains("1 event waits");
    }

    @ParameterizedTest
    @CsvSource({
        "orders, There is no topic orders., 'postrider topics apply, or change the route and start the relays again'",
        "orders, Topic orders may not be written., '--operation Write --topic orders'",
        "orders/3, Partition 3 has no leader., 'start the brokers that hold this partition: kafka-topics --describe --topic orders'",
        "orders/3, Partition 3 does not answer., 'look after the broker that leads this partition: kafka-topics --describe --topic orders'",
        "https://shop.example, It answered 503., the relays try again by themselves"
    })
    void destinationThatTakesNothingIsNamedWithItsFix(String destination, String reason, String fix) {
        insert("now()");
        leaseFor("relay-1", "closed");
        database.execute("update outbox set status = 'BLOCKED', blocked_by = '" + destination + "', last_error = '"
                + reason + "'");

        Visit.Said said = visit().assertOnlyComplaint("outbox.destinations", "WARNING");

        assertThat(said.finding()).isEqualTo(destination + " is blocked, and 1 event waits for it: " + reason);
        assertThat(said.fix()).contains(fix);
    }

    @Test
    void eventThatWaitsForLongIsAWarning() {
        insert("now() - interval '10 minutes'");
        leaseFor("relay-1", "closed");

        Visit visit = visit();

        assertThat(visit.assertOnlyComplaint("outbox.unsent", "WARNING").finding())
                .containsPattern("10 min \\d{1,2} s");
        assertThat(visit.only("outbox.relays").finding()).isEqualTo("1 relay alive.");
    }

    @Test
    void openCircuitIsAWarning() {
        leaseFor("relay-1", "open");

        Visit visit = visit();

        assertThat(visit.errors()).hasSize(1);
        assertThat(visit.errors().get(0).finding()).contains("relay-1", "circuit is open");
    }

    @Test
    void deadLettersAreCountedWithThoseThatAreOnlyInTheOutbox() {
        insert("now()");
        insert("now()");
        database.execute("update outbox set status = 'DEAD_LETTER'");
        assertThat(visit().assertOnlyComplaint("outbox.dead-letters", "WARNING").finding())
                .startsWith("2 dead letters wait");

        database.execute(
                "insert into outbox_dead_letter (outbox_id, event_id, event_type, aggregate_type, aggregate_id,"
                        + " payload, content_type, occurred_at, created_at, attempts, error_class, reason, first_failed_at)"
                        + " select id, event_id, event_type, aggregate_type, aggregate_id, payload, content_type, occurred_at,"
                        + " created_at, 6, 'rejected', 'no', now() from outbox order by id limit 1");
        Visit.Said said = visit().assertOnlyComplaint("outbox.dead-letters", "WARNING");
        assertThat(said.finding()).startsWith("2 dead letters wait");
        assertThat(said.fix()).isEqualTo("postrider dead list");

        database.execute("delete from outbox");
        assertThat(visit().assertOnlyComplaint("outbox.dead-letters", "WARNING").finding())
                .startsWith("1 dead letter waits");
    }

    @Test
    void rowsThatNoRelayWillEverSendAreNamed() {
        insert("now()");
        database.execute("update outbox set status = 'LOG'");
        Visit.Said foreign = visit().assertOnlyComplaint("outbox.unread", "ERROR");
        assertThat(foreign.finding()).startsWith("1 row has a status");
        database.execute(foreign.fix());
        assertThat(visit().only("outbox.unread").severity()).isEqualTo("OK");

        database.execute("update outbox set next_attempt_at = 'infinity'");
        assertThat(visit().only("outbox.unread").finding())
                .startsWith("1 event is to be sent in more than a hundred years");
    }

    private static void migrate() {
        database.execute("drop schema public cascade; create schema public");
        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT);
    }

    private static Visit visit() {
        return Visit.of(Limits.STANDARD, environment());
    }

    private static Map<String, String> environment(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password()));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return environment;
    }

    private static void setForDatabase(String setting) {
        database.execute("alter database " + database.one("select current_database()") + " set " + setting);
    }

    private static void insert(String createdAt) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, created_at)"
                + " values ('acme.order.paid.v1', 'order', '1', '{}', " + createdAt + ")");
    }

    private static void insertAndLeaveOpen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '1', '{}')");
        }
    }

    private static void leaseFor(String relay, String circuit) {
        database.execute("insert into outbox_lease (name, owner, expires_at, state) values ('relay/" + relay + "', '"
                + relay + "', now() + interval '1 hour', '" + circuit + "')");
    }
}
