package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the doctor says about a log, and that its fixes heal. */
class DoctorLogTest {
    private static final int SHARDS = 3;

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
        database.execute(OutboxSchema.script(DatabaseFamily.POSTGRESQL, OutboxTable.DEFAULT, OutboxLayout.log(SHARDS)));
    }

    @Test
    void rowsThatNoRelayWillEverSendAreNamed() {
        insert("now()", 1);
        database.execute("update outbox set status = 'PENDING'");

        assertThat(visit().of("outbox.unread"))
                .extracting(Visit.Said::finding)
                .singleElement()
                .asString()
                .startsWith("1 row has a status");
    }

    @Test
    void rowsBelowTheIdsThatRelaysHavePassedAreNamed() {
        leaseForAll();
        insert("now()", 5);
        passAll();
        insert("now()", 5);
        passAll();
        visit().assertHealthy();

        database.execute("insert into outbox (id, event_type, aggregate_type, aggregate_id, payload)"
                + " overriding system value values (-7, 'acme.order.paid.v1', 'order', '1', '1')");
        passAll();

        assertThat(visit().assertOnlyComplaint("outbox.unread", "ERROR").finding())
                .startsWith("1 row has an id that had been passed when it was written");
        database.execute("delete from outbox where id < 0");
        visit().assertHealthy();
    }

    /** As a relay records it, all shards at once. */
    private static void passAll() {
        database.execute(
                "insert into outbox_cursor (shard, seq, lo, owner, system_id, timeline, sequence, floor)"
                        + " select distinct on (n.shard) n.shard, n.seq + 1, pg_current_snapshot(), 'relay-1', n.system_id, n.timeline,"
                        + " s.relfilenode::bigint, coalesce(pg_sequence_last_value(s.oid), 0)"
                        + " from outbox_cursor n join pg_class s on s.oid = 'outbox_id_seq'::regclass order by n.shard, n.seq desc");
    }

    @Test
    void newLogIsHealthy() {
        Visit visit = visit().assertHealthy();

        assertThat(visit.only("outbox.layout").finding())
                .isEqualTo("The outbox has mode log, 3 shards, delivery at-least-once.");
        assertThat(visit.findings())
                .extracting(Visit.Said::check)
                .contains("outbox.indexes", "outbox.cluster", "outbox.cursors", "outbox.relays", "outbox.unsent");
    }

    @Test
    void claimsHaveNeitherCursorsNorACluster() {
        database.execute("drop schema public cascade; create schema public");
        database.execute(OutboxSchema.script(DatabaseFamily.POSTGRESQL, OutboxTable.DEFAULT, OutboxLayout.claim()));

        assertThat(visit().assertHealthy().findings())
                .extracting(Visit.Said::check)
                .doesNotContain("outbox.cluster", "outbox.cursors");
    }

    @Test
    void layoutThatIsNotKnownIsAWarningAndWhatDoesNotDependOnItIsLookedAt() {
        database.execute("update outbox_settings set value = 'magic' where name = 'mode'");

        Visit visit = visit();

        assertThat(visit.assertOnlyComplaint("outbox.layout", "WARNING").finding())
                .contains("[magic]");
        assertThat(visit.findings())
                .extracting(Visit.Said::check)
                .contains("outbox.privileges", "outbox.sequence", "outbox.dead-letters")
                .doesNotContain("outbox.indexes", "outbox.relays");
    }

    @Test
    void missingIndexOfTheShardsIsNamedAndTheFixCreatesIt() {
        database.execute("drop index outbox_shard");

        Visit.Said said = visit().assertOnlyComplaint("outbox.indexes", "ERROR");
        assertThat(said.fix()).contains("% 3)");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void sequenceWithACacheIsAnErrorAndTheFixHeals() {
        database.execute("alter sequence outbox_id_seq cache 20");

        Visit.Said said = visit().assertOnlyComplaint("outbox.sequence", "ERROR");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void idBeforeTransactionNumberIsAnError() {
        database.execute("alter table outbox drop column tx_id cascade;"
                + " alter table outbox add column tx_id xid8 not null default pg_current_xact_id()");

        visit().assertOnlyComplaint("outbox.columns", "ERROR");
    }

    @Test
    void shardWithoutACursorIsAnErrorAndTheFixGivesItOne() {
        insert("now()", 12);
        leaseForAll();
        database.execute("delete from outbox_cursor where shard = 1");

        Visit.Said said = visit().assertOnlyComplaint("outbox.cursors", "ERROR");
        assertThat(said.finding()).startsWith("Shard 1 has no row in \"outbox_cursor\"");

        database.execute(said.fix());
        visit().assertHealthy();
    }

    @Test
    void cursorsOfAnotherClusterAreAnError() {
        database.execute("update outbox_cursor set system_id = 42 where shard > 0");

        Visit.Said said = visit().assertOnlyComplaint("outbox.cluster", "ERROR");

        assertThat(said.finding()).contains("shards 1, 2 ");
        assertThat(said.fix()).startsWith("postrider adopt --after restore|upgrade");
    }

    @Test
    void onlyTheNewestRowOfACursorSaysWhichClusterItIsOf() {
        database.execute("insert into outbox_cursor (shard, seq, lo, owner, system_id, timeline)"
                + " select shard, seq + 1, lo, owner, system_id, timeline from outbox_cursor;"
                + " update outbox_cursor set system_id = 42, timeline = 42 where seq = 0");

        visit().assertHealthy();
    }

    @Test
    void anotherTimelineIsAWarning() {
        database.execute("update outbox_cursor set timeline = 42 where shard = 2");

        assertThat(visit().assertOnlyComplaint("outbox.cluster", "WARNING").finding())
                .contains("shards 2 are of timeline 42, and the server is on timeline 1");
    }

    @Test
    void eventsOfTransactionsThatHaveNotBeenYetAreAnError() {
        insert("now()", 1);
        leaseForAll();
        database.execute("update outbox set tx_id = '4000000000'");

        assertThat(visit().assertOnlyComplaint("outbox.cluster", "ERROR").finding())
                .contains("transaction 4000000000");
    }

    @Test
    void unsentEventsWithoutARelayAreAWarning() {
        insert("now()", 2);

        assertThat(visit().assertOnlyComplaint("outbox.relays", "WARNING").finding())
                .contains("No relay is alive, and 2 events wait");
    }

    @Test
    void eventThatWaitsForLongIsAWarning() {
        insert("now() - interval '10 minutes'", 1);
        leaseForAll();

        assertThat(visit().assertOnlyComplaint("outbox.unsent", "WARNING").finding())
                .contains("10 min");
    }

    @Test
    void shardsThatNobodyReadsAreAWarning() {
        leaseForAll();
        visit().assertHealthy();
        database.execute("delete from outbox_lease where name = 'shard/1';"
                + " update outbox_lease set expires_at = now() - interval '1 s' where name = 'shard/2'");

        assertThat(visit().assertOnlyComplaint("outbox.relays", "WARNING").finding())
                .isEqualTo("No relay reads the shards 1, 2, although 1 relay is alive.");
    }

    @Test
    void deadLetterThatIsOnlyWhereItKeepsItsKeyClosedIsCounted() {
        database.execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds)"
                + " values (1, 0, 0, 'DEAD', true)");

        assertThat(visit().assertOnlyComplaint("outbox.dead-letters", "WARNING").finding())
                .startsWith("1 dead letter waits");
    }

    @Test
    void missingPrivilegesAreNamedAndTheFixesAreEnoughForARelay() {
        database.execute("create role \"Weak\" login password 'weak'");
        try {
            Map<String, String> weak = environment("POSTRIDER_DB_USER", "Weak", "POSTRIDER_DB_PASSWORD", "weak");
            database.execute("grant select on outbox_settings to \"Weak\"");
            Visit visit = Visit.of(Limits.STANDARD, weak);

            List<String> fixes =
                    visit.of("outbox.privileges").stream().map(Visit.Said::fix).toList();
            assertThat(fixes)
                    .contains(
                            "grant select on \"outbox\" to \"Weak\";",
                            "grant select, insert on \"outbox_cursor\" to \"Weak\";",
                            "grant delete on \"outbox_cursor\" to \"Weak\";",
                            "grant select, insert, update, delete on \"outbox_parked\" to \"Weak\";",
                            "grant select on sequence outbox_id_seq to \"Weak\";")
                    .noneMatch(fix -> fix.contains("update") && fix.contains("on \"outbox\" "));

            fixes.forEach(database::execute);
            Visit.of(Limits.STANDARD, weak).assertHealthy();
            insert("now()", 10);
            assertDeliversAs("Weak", "weak");
        } finally {
            database.execute("drop owned by \"Weak\"; drop role \"Weak\"");
        }
    }

    private static void assertDeliversAs(String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(user);
        config.setPassword(password);
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.aggregateId().equals("3")
                        ? new PublishResult.Rejected("never", true)
                        : new PublishResult.Accepted());
        try (HikariDataSource pool = new HikariDataSource(config);
                Relay relay = Relay.builder(pool, publisher)
                        .settings(RelaySettings.builder()
                                .pollInterval(Duration.ofMillis(50))
                                .build())
                        .build()) {
            relay.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> publisher.accepted().size() == 9);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> database.one("select count(*) from outbox_dead_letter")
                            .equals("1"));
        }
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

    private static void insert(String createdAt, int rows) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, created_at)"
                + " select 'acme.order.paid.v1', 'order', n::text, '{}', " + createdAt + " from generate_series(1, "
                + rows + ") n");
    }

    /** A relay that is alive and reads every shard. */
    private static void leaseForAll() {
        database.execute("insert into outbox_lease (name, owner, expires_at, state)"
                + " select name, 'relay-1', now() + interval '1 hour', 'closed'"
                + " from (select 'relay/relay-1' as name"
                + " union all select 'shard/' || n from generate_series(0, " + (SHARDS - 1) + ") n) names");
    }
}
