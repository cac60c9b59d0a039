package dev.postrider.tests.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxTable;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertRules;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.postgres.PostgresStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Levels are the same for all instances, so one of them tells, and another goes on when it has gone. */
class SharedLevelsTest {
    private static TestDatabase database;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> created = new ArrayList<>();

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        database.execute("truncate outbox restart identity; truncate outbox_lease;"
                + " delete from outbox_settings where name = 'alerts_raised'");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : created) {
            one.close();
        }
    }

    @Test
    void oneInstanceTellsOnBehalfOfAll() {
        insert(4, "PENDING");
        Housekeeper first = housekeeper("first", AlertRules.builder().pending(3));
        Housekeeper second = housekeeper("second", AlertRules.builder().pending(3));

        assertThat(first.runOnce().looked()).isTrue();
        assertThat(second.runOnce().looked()).isFalse();

        assertThat(told).containsExactly("first: pending");
    }

    @Test
    void instanceThatTakesOverDoesNotRepeatTheAlertButTellsItsEnd() {
        insert(4, "PENDING");
        Housekeeper first = housekeeper("first", AlertRules.builder().pending(3));
        Housekeeper second = housekeeper("second", AlertRules.builder().pending(3));
        first.runOnce();
        first.close();

        assertThat(second.runOnce().looked()).as("the lease was released").isTrue();
        database.execute("update outbox set status = 'PUBLISHED', published_at = now()");
        second.runOnce();

        assertThat(told).containsExactly("first: pending", "second: pending over");
    }

    @Test
    void alertIsRepeatedWhenTheCoolDownIsOverByTheDatabasesClock() {
        insert(4, "PENDING");
        Housekeeper keeper = housekeeper("first", AlertRules.builder().pending(3));
        keeper.runOnce();
        keeper.runOnce();
        assertThat(told).containsExactly("first: pending");

        database.execute("update outbox_settings set value = 'pending raised '"
                + " || to_char(now() at time zone 'utc' - interval '16 minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                + " where name = 'alerts_raised'");
        keeper.runOnce();

        assertThat(told).containsExactly("first: pending", "first: pending");
    }

    @Test
    void failedEventsAreCountedInTheDatabase() {
        insert(101, "FAILED");

        housekeeper("first", AlertRules.builder()).runOnce();

        assertThat(told).containsExactly("first: failed");
    }

    @Test
    void startedHousekeeperGoesOnLookingAfterItsConnectionWasLost() {
        Housekeeper keeper =
                housekeeper("first", AlertRules.builder().pending(3).interval(Duration.ofSeconds(1)));
        keeper.start();
        await().until(() -> database.column("select 1 from outbox_lease").size() == 1);

        database.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()");
        insert(4, "PENDING");

        await().atMost(Duration.ofSeconds(30)).until(() -> told.contains("first: pending"));
    }

    private Housekeeper housekeeper(String relay, AlertRules.Builder rules) {
        AlertMonitor monitor = new AlertMonitor(
                relay, "outbox", rules.build(), List.of(alert -> told.add(relay + ": " + inShort(alert))));
        Housekeeper housekeeper = new Housekeeper(
                relay,
                database.dataSource(),
                new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()),
                null,
                HousekeepingSettings.defaults(),
                monitor);
        created.add(housekeeper);
        created.add(monitor);
        return housekeeper;
    }

    private static String inShort(Alert alert) {
        return alert.rule() + (alert.recovery() ? " over" : "");
    }

    private static void insert(int rows, String status) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status)"
                + " select 'acme.a.b.v1', 'a', 'a', '1', '" + status + "' from generate_series(1, " + rows + ") n");
    }
}
