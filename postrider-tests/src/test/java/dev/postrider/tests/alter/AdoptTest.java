package dev.postrider.tests.alter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.admin.AdoptAfter;
import dev.postrider.admin.LayoutReport;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** The tables of an outbox come into another cluster, as by a dump and restore. */
class AdoptTest {
    private static final List<String> TABLES = List.of(
            "outbox", "outbox_cursor", "outbox_parked", "outbox_dead_letter", "outbox_lease", "outbox_settings");

    private static DevPostgres otherServer;

    private final TestDatabase old = TestDatabase.withOutbox(OutboxLayout.log(4));
    private final TestDatabase copy = TestDatabase.emptyOn(otherServer);

    @BeforeAll
    static void startOtherServer() {
        otherServer = DevPostgres.start();
    }

    @AfterAll
    static void stopOtherServer() {
        otherServer.close();
    }

    @AfterEach
    void close() {
        old.close();
        copy.close();
    }

    /** Whether the new cluster has seen more transactions than the old one, or fewer. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterARestoreWhatWasDeliveredDoesNotComeAgainAndAllElseComes(boolean newIsOlder) throws Exception {
        spendTransactions(newIsOlder ? copy : old, newIsOlder ? old : copy);
        RecordingPublisher before = BusyOutbox.answering(body ->
                body.contains("fails") ? new PublishResult.Rejected("not now", false) : new PublishResult.Accepted());
        for (int i = 0; i < 40; i++) {
            insert(old, "key" + i % 7, "delivered");
        }
        insert(old, "closed", "1 fails");
        insert(old, "closed", "2");
        deliver(old, before, 40, "2");
        insert(old, "key1", "undelivered");
        insert(old, "closed", "3");
        restore();
        insert(copy, "key2", "written since");
        insert(copy, "closed", "4");

        try (Relay relay = BusyOutbox.relay(copy, "too-early", RecordingPublisher.acceptingAll())) {
            assertThatThrownBy(relay::runOnce)
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("'postrider adopt --after restore'");
        }
        assertThatThrownBy(() -> adopt(AdoptAfter.UPGRADE)).hasMessageContaining("adopt --after restore");
        LayoutReport report = adopt(AdoptAfter.RESTORE);

        assertThat(report.changed()).isTrue();
        assertThat(report.moved()).isEqualTo(4);
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        try (Relay relay = BusyOutbox.relay(copy, "after", after)) {
            relay.start();
            await().until(() -> after.accepted().size() == 2
                    && copy.one("select count(*) from outbox_parked").equals("4"));
            copy.execute("update outbox_parked set next_attempt_at = now() where state = 'FAILED'");
            insert(copy, "key3", "new");
            await().until(() -> after.accepted().size() == 7);
        }
        assertThat(after.acceptedBodies())
                .containsExactlyInAnyOrder(
                        "\"undelivered\"", "\"written since\"", "\"1 fails\"", "\"2\"", "\"3\"", "\"4\"", "\"new\"");
        assertThat(after.acceptedBodies().stream().filter(body -> body.matches("\"\\d.*")))
                .containsExactly("\"1 fails\"", "\"2\"", "\"3\"", "\"4\"");
        assertThat(adopt(AdoptAfter.RESTORE).changed()).isFalse();
    }

    @Test
    void rowOfWhichNobodyKnowsWhereItWasWrittenComesAgain() throws Exception {
        // Its transaction has been here as well, and it came alone: it could have been written here.
        insert(old, "a", "doubtful");
        RecordingPublisher before = RecordingPublisher.acceptingAll();
        deliver(old, before, 1, "0");
        spendTransactions(copy, old);
        restore();

        adopt(AdoptAfter.RESTORE);

        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(copy, after, 1, "0");
        assertThat(after.acceptedBodies()).containsExactly("\"doubtful\"");
    }

    @Test
    void adoptionThatDiesAnywhereIsFinishedByTheNext() throws Exception {
        spendTransactions(old, copy);
        RecordingPublisher before = RecordingPublisher.acceptingAll();
        for (int i = 0; i < 20; i++) {
            insert(old, "key" + i % 5, "delivered");
        }
        deliver(old, before, 20, "0");
        for (int i = 0; i < 10; i++) {
            insert(old, "key" + i % 5, "undelivered");
        }
        restore();
        insert(copy, "key1", "undelivered");
        int runs = 0;
        boolean done = false;
        while (!done) {
            FailingConnections failing = new FailingConnections(copy.dataSource(), runs++);
            try {
                LayoutChange.builder(failing.dataSource()).chunk(7).build().adopt(AdoptAfter.RESTORE, "ann");
                done = !failing.hasFailed();
            } catch (PostriderException e) {
                assertThat(failing.hasFailed()).as(e.toString()).isTrue();
            }
        }

        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(copy, after, 11, "0");
        assertThat(after.acceptedBodies()).containsOnly("\"undelivered\"");
    }

    @Test
    void afterAnUpgradeEverythingGoesOnWhereItWas() {
        RecordingPublisher before = RecordingPublisher.acceptingAll();
        for (int i = 0; i < 10; i++) {
            insert(old, "key" + i % 5, "delivered");
        }
        deliver(old, before, 10, "0");
        insert(old, "key1", "undelivered");
        // What pg_upgrade does to them: all is as before but the identifier.
        old.execute("update outbox_cursor set system_id = system_id + 1");

        LayoutReport report = LayoutChange.builder(old.dataSource()).build().adopt(AdoptAfter.UPGRADE, "ann");

        assertThat(report.changed()).isTrue();
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(old, after, 1, "0");
        assertThat(after.acceptedBodies()).containsExactly("\"undelivered\"");
        assertThat(old.column("select action || ': ' || selector from outbox_audit"))
                .containsExactly("adopt: --after upgrade");
    }

    @Test
    void exactlyOnceBeginsAnewAfterARestore() throws Exception {
        spendTransactions(old, copy);
        insert(old, "a", "delivered");
        RecordingPublisher before = RecordingPublisher.acceptingAll();
        deliver(old, before, 1, "0");
        old.execute("update outbox_settings set value = 'exactly-once' where name = 'delivery'");
        restore();
        String id = copy.one("select value from outbox_settings where name = 'outbox_id'");

        LayoutReport report = adopt(AdoptAfter.RESTORE);

        assertThat(report.newId()).isTrue();
        assertThat(report.to().delivery()).isEqualTo(Delivery.EXACTLY_ONCE);
        assertThat(copy.one("select value from outbox_settings where name = 'outbox_id'"))
                .isNotEqualTo(id);
    }

    @Test
    void nothingIsAdoptedThatIsAtHome() {
        assertThat(LayoutChange.builder(old.dataSource())
                        .build()
                        .adopt(AdoptAfter.RESTORE, "ann")
                        .changed())
                .isFalse();
    }

    // ---- tools

    private LayoutReport adopt(AdoptAfter after) {
        return LayoutChange.builder(copy.dataSource()).chunk(16).build().adopt(after, "ann");
    }

    private static void deliver(TestDatabase from, RecordingPublisher publisher, int events, String parked) {
        try (Relay relay = BusyOutbox.relay(from, "relay", publisher)) {
            relay.start();
            await().until(() -> publisher.accepted().size() >= events
                    && from.one("select count(*) from outbox_parked").equals(parked));
        }
    }

    private static void insert(TestDatabase into, String key, String body) {
        into.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.paid.v1', 'order', '" + key + "', '\"" + body + "\"')");
    }

    /** Until one cluster has seen a thousand more than the other; the rest of the test takes some too. */
    private static void spendTransactions(TestDatabase of, TestDatabase moreThan) {
        long number = 1000
                + Math.max(
                        0,
                        Long.parseLong(moreThan.one("select pg_current_xact_id()"))
                                - Long.parseLong(of.one("select pg_current_xact_id()")));
        of.execute("create procedure spend(n bigint) language plpgsql as"
                + " $$ begin for i in 1..n loop perform pg_current_xact_id(); commit; end loop; end $$");
        of.execute("call spend(" + number + ")");
    }

    /** Table by table, each in a transaction of its own. */
    private void restore() throws SQLException, IOException {
        OutboxSchema.migrate(copy.dataSource(), OutboxTable.DEFAULT, OutboxLayout.log(4));
        copy.execute("truncate outbox_cursor, outbox_settings");
        // Of a dump, triggers are created last.
        copy.execute("alter table outbox disable trigger user");
        for (String table : TABLES) {
            String columns = old.one("select string_agg(attname, ', ' order by attnum) from pg_attribute"
                    + " where attrelid = '" + table + "'::regclass and attnum > 0 and not attisdropped"
                    + " and attgenerated = ''");
            StringWriter rows = new StringWriter();
            try (Connection from = old.dataSource().getConnection();
                    Connection to = copy.dataSource().getConnection()) {
                copyManager(from).copyOut("copy " + table + " (" + columns + ") to stdout", rows);
                copyManager(to)
                        .copyIn("copy " + table + " (" + columns + ") from stdin", new StringReader(rows.toString()));
            }
        }
        copy.execute("alter table outbox enable trigger user");
        copy.execute("select setval(pg_get_serial_sequence('outbox', 'id'), "
                + old.one("select last_value from outbox_id_seq") + ")");
        try (Connection to = copy.dataSource().getConnection();
                Statement statement = to.createStatement()) {
            statement.execute("analyze");
        }
    }

    private static CopyManager copyManager(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getCopyAPI();
    }
}
