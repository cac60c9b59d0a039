package dev.postrider.tests.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.alert.AlertRules;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.postgres.PostgresStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Levels of a log, whose rows say nothing about them. */
class LogLevelsTest {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void begin() {
        database = TestDatabase.withOutbox(OutboxLayout.log(4));
    }

    @AfterEach
    void end() {
        database.close();
    }

    @Test
    void eventsAheadOfTheCursorsArePending() {
        insert(4, "now()");

        look(AlertRules.builder().pending(3));

        assertThat(told).containsExactly("pending");
    }

    @Test
    void eventsBesideTheLogArePendingAndThoseThatFailedAreFailed() {
        park(101, "FAILED");

        look(AlertRules.builder().pending(100));

        assertThat(told).containsExactlyInAnyOrder("pending", "failed");
    }

    @Test
    void eventsThatWaitBehindAFailedOneHaveNotFailed() {
        park(101, "QUEUED");

        look(AlertRules.builder().pending(100));

        assertThat(told).containsExactly("pending");
    }

    @Test
    void oldestIsFoundAmongAllShardsAndBesideThem() {
        insert(1, "now() - interval '2 minutes'");
        look(AlertRules.builder().oldestAge(Duration.ofMinutes(1)));
        assertThat(told).containsExactly("oldest-age");

        told.clear();
        database.execute("truncate outbox; delete from outbox_settings where name = 'alerts_raised'");
        park(1, "SCHEDULED");
        park(1, "QUEUED");
        look(AlertRules.builder().oldestAge(Duration.ofMinutes(1)));
        assertThat(told).as("parked an hour ago").containsExactly("oldest-age");
    }

    private void look(AlertRules.Builder rules) {
        try (AlertMonitor monitor =
                        new AlertMonitor("first", "outbox", rules.build(), List.of(alert -> told.add(alert.rule())));
                Housekeeper housekeeper = new Housekeeper(
                        "first",
                        database.dataSource(),
                        new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()),
                        null,
                        HousekeepingSettings.defaults(),
                        monitor)) {
            assertThat(housekeeper.runOnce().looked()).isTrue();
        }
    }

    private void insert(int rows, String createdAt) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, created_at)"
                + " select 'acme.a.b.v1', 'a', n::text, '1', " + createdAt + " from generate_series(1, " + rows
                + ") n");
    }

    private void park(int rows, String state) {
        database.execute(
                "insert into outbox_parked (outbox_id, shard, key_hash, state, holds, next_attempt_at, parked_at)"
                        + " select coalesce(max(outbox_id), 0) + n, 0, n, '" + state + "', '" + state
                        + "' <> 'SCHEDULED',"
                        + " now() + interval '1 hour', now() - interval '1 hour'"
                        + " from generate_series(1, " + rows + ") n left join outbox_parked on true group by n");
    }
}
