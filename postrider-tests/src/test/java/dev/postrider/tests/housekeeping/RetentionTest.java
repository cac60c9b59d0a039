package dev.postrider.tests.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What housekeepers delete, and which of them does it. */
@ParameterizedClass
@EnumSource
class RetentionTest {
    private static TestDatabase database;

    private final List<Housekeeper> created = new ArrayList<>();

    @Parameter
    private TestServer server;

    @BeforeParameterizedClassInvocation
    static void start(TestServer server) {
        database = TestDatabase.withOutbox(server);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        database.clear();
        database.execute("delete from outbox_settings where name = 'retention_last_run'");
    }

    @AfterEach
    void close() {
        created.forEach(Housekeeper::close);
    }

    @Test
    void onlyPublishedEventsOlderThanTheRetentionAreDeleted() {
        insert(1, "PUBLISHED", "8 days", "7 days 1 second");
        insert(1, "PUBLISHED", "8 days", "6 days 23 hours");
        insert(1, "PUBLISHED", "1 hour", "1 hour");
        for (String unfinished : List.of("PENDING", "SENDING", "FAILED", "HELD", "DEAD_LETTER")) {
            insert(1, unfinished, "400 days", null);
        }

        Housekeeper.Report report = keeping(Duration.ofDays(7)).runOnce();

        assertThat(report.purged()).isTrue();
        assertThat(report.deleted()).isEqualTo(1);
        assertThat(database.column("select id from outbox order by id"))
                .containsExactly("2", "3", "4", "5", "6", "7", "8");
    }

    @Test
    void everythingOldIsDeletedInChunks() {
        insert(2500, "PUBLISHED", "10 days", "10 days");

        Housekeeper.Report report = keeping(Duration.ofDays(7)).runOnce();

        assertThat(report.deleted()).isEqualTo(2500);
        assertThat(report.chunks()).isEqualTo(3);
        assertThat(count()).isZero();
    }

    @Test
    void eventsPublishedLateArePassedOnceInARun() {
        insert(3000, "PUBLISHED", "20 days", "1 day");
        insert(3000, "PUBLISHED", "10 days", "10 days");

        Housekeeper.Report report = keeping(Duration.ofDays(7)).runOnce();

        assertThat(report.deleted()).isEqualTo(3000);
        assertThat(report.chunks()).as("6 full ones and the empty end").isEqualTo(7);
        assertThat(count()).isEqualTo(3000);
    }

    @Test
    void manyEventsOfTheSameMomentAreAllDeleted() {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at,"
                + " published_at) select 'a', 'a', 'a', '1', 'PUBLISHED', " + server.time("2020-01-01T00:00:00Z")
                + ", case when n % 2 = 0 then " + server.time("2020-01-02T00:00:00Z") + " else now() end from "
                + server.numbers(1, 5000));

        assertThat(keeping(Duration.ofDays(7)).runOnce().deleted()).isEqualTo(2500);
        assertThat(count()).isEqualTo(2500);
    }

    @Test
    void rowThatSomebodyHasLockedIsLeftForTheNextRun() throws Exception {
        insert(3, "PUBLISHED", "10 days", "10 days");
        try (var stranger = database.transaction()) {
            stranger.createStatement().execute("select 1 from outbox where id = 2 for update");

            assertThat(keeping(Duration.ofDays(7)).runOnce().deleted()).isEqualTo(2);
            stranger.rollback();
        }

        assertThat(keeping(Duration.ofDays(7)).runOnce().deleted()).isEqualTo(1);
    }

    @Test
    void rowThatCannotBeDeletedIsPassedAndTheOthersAreDeleted() {
        insert(2500, "PUBLISHED", "10 days", "10 days");
        database.execute("create table referring (id bigint primary key, foreign key (id) references outbox (id))");
        try {
            database.execute("insert into referring values (1), (1200), (2500)");

            Housekeeper.Report report = keeping(Duration.ofDays(7)).runOnce();

            assertThat(report.purged()).isTrue();
            assertThat(database.column("select id from outbox order by id")).containsExactly("1", "1200", "2500");
        } finally {
            database.execute("drop table referring");
        }
    }

    @Test
    void nothingIsDeletedUnlessARetentionIsSet() {
        insert(3, "PUBLISHED", "4000 days", "4000 days");

        Housekeeper.Report report = housekeeper(HousekeepingSettings.builder()).runOnce();

        assertThat(report.purged()).isFalse();
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void onlyOneOfTwoHousekeepersWorksAtATime() {
        insert(5, "PUBLISHED", "10 days", "10 days");
        Housekeeper first = housekeeper(HousekeepingSettings.builder()
                .retention(Retention.ofPublished(Duration.ofDays(7)))
                .chunkSize(1)
                .pause(Duration.ofHours(1)));
        CompletableFuture<Housekeeper.Report> running = CompletableFuture.supplyAsync(first::runOnce);
        await().until(() -> count() == 4);
        Housekeeper second = keeping(Duration.ofDays(7));

        Housekeeper.Report refused = second.runOnce();

        assertThat(refused.purged()).isFalse();
        assertThat(refused.deleted()).isZero();
        assertThat(count()).isEqualTo(4);

        first.close();
        assertThat(running.join().purged()).as("cut short").isFalse();
        assertThat(second.runOnce().deleted())
                .as("the lease was released, not left to expire")
                .isEqualTo(4);
    }

    @Test
    void expiredLeaseIsTakenOver() {
        insert(1, "PUBLISHED", "10 days", "10 days");
        database.execute("insert into outbox_lease (name, owner, expires_at)"
                + " values ('job/retention', 'gone', now() + interval '1' hour)");
        Housekeeper heir = keeping(Duration.ofDays(7));
        assertThat(heir.runOnce().purged()).isFalse();

        database.execute("update outbox_lease set expires_at = now() - interval '1' second");

        assertThat(heir.runOnce().deleted()).isEqualTo(1);
        assertThat(leases()).isEmpty();
    }

    @Test
    void housekeeperWhoseLeaseWasTakenOverStops() {
        insert(100, "PUBLISHED", "10 days", "10 days");
        Housekeeper paused = housekeeper(HousekeepingSettings.builder()
                .retention(Retention.ofPublished(Duration.ofDays(7)))
                .leaseLength(Duration.ofSeconds(1))
                .chunkSize(1)
                .pause(Duration.ofMillis(100)));
        CompletableFuture<Housekeeper.Report> running = CompletableFuture.supplyAsync(paused::runOnce);
        await().until(() -> count() < 100);

        database.execute("update outbox_lease set owner = 'heir', expires_at = now() + interval '1' hour");

        Housekeeper.Report report = running.join();
        assertThat(report.purged()).isFalse();
        assertThat(report.deleted()).isLessThan(100);
        assertThat(leases()).as("the heir's is left alone").containsExactly("job/retention heir");
    }

    @Test
    void startedHousekeeperMakesUpForAMissedDayAndTakesNoteOfIt() {
        insert(2000, "PUBLISHED", "10 days", "10 days");
        database.execute("insert into outbox_settings values ('retention_last_run', '2026-01-01T02:00:00Z')");
        Housekeeper late = keeping(Duration.ofDays(7));

        late.start();

        await().until(() -> count() == 0 && leases().isEmpty());
        Instant noted =
                Instant.parse(database.one("select value from outbox_settings where name = 'retention_last_run'"));
        assertThat(Duration.between(noted, Instant.now())).isBetween(Duration.ofMinutes(-1), Duration.ofMinutes(1));
    }

    @Test
    void runCutShortIsNotTakenNoteOf() {
        insert(2, "PUBLISHED", "10 days", "10 days");
        database.execute("insert into outbox_settings values ('retention_last_run', '2026-01-01T02:00:00Z')");
        Housekeeper first = housekeeper(HousekeepingSettings.builder()
                .retention(Retention.ofPublished(Duration.ofDays(7)))
                .schedule(Schedule.every(Duration.ofDays(1)))
                .chunkSize(1)
                .pause(Duration.ofHours(1)));
        first.start();
        await().until(() -> count() == 1);

        first.close();

        assertThat(leases()).isEmpty();
        Housekeeper second = keeping(Duration.ofDays(7));
        second.start();
        await().until(() -> count() == 0);
    }

    @Test
    void startedHousekeeperRefusesToBeRunByHand() {
        Housekeeper started = keeping(Duration.ofDays(7));
        started.start();

        assertThatThrownBy(started::runOnce)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("is started");
    }

    @Test
    void relayGoesOnWhileOldEventsAreDeleted() {
        int old = server == TestServer.POSTGRES ? 50_000 : 20_000;
        insert(old, "PUBLISHED", "10 days", "10 days");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        AtomicBoolean purging = new AtomicBoolean(true);
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(20))
                        .leaseLength(Duration.ofMinutes(1))
                        .build())
                .build();
        Map<String, Integer> written = new LinkedHashMap<>();
        Housekeeper.Report report;
        try (relay) {
            relay.start();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (purging.get()) {
                    String key = "key-" + written.size() % 11;
                    written.put(key + "/" + written.size(), written.size());
                    database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.a.b.v1', 'a', '" + key + "', '" + written.size() + "')");
                }
            });
            report = housekeeper(HousekeepingSettings.builder()
                            .retention(Retention.ofPublished(Duration.ofDays(7)))
                            .pause(Duration.ofMillis(5)))
                    .runOnce();
            purging.set(false);
            writer.join();
            await().until(() -> publisher.accepted().size() >= written.size());
        }

        List<OutboxEvent> delivered = publisher.accepted();
        long duplicates = delivered.size()
                - new HashSet<>(delivered.stream().map(OutboxEvent::id).toList()).size();
        long reordered = reordered(delivered);
        System.out.printf(
                "deleted %d in %d chunks; meanwhile written %d, delivered %d, duplicates %d, reordered %d%n",
                report.deleted(), report.chunks(), written.size(), delivered.size(), duplicates, reordered);
        assertThat(report.deleted()).isEqualTo(old);
        assertThat(written).isNotEmpty();
        assertThat(delivered).hasSameSizeAs(written.keySet());
        assertThat(duplicates).isZero();
        assertThat(reordered).isZero();
    }

    private static long reordered(List<OutboxEvent> delivered) {
        Map<String, Integer> last = new LinkedHashMap<>();
        long reordered = 0;
        for (OutboxEvent event : delivered) {
            int body = Integer.parseInt(event.payload().text());
            Integer before = last.put(event.aggregateId(), body);
            if (before != null && before > body) {
                reordered++;
            }
        }
        return reordered;
    }

    private Housekeeper keeping(Duration published) {
        return housekeeper(HousekeepingSettings.builder()
                .retention(Retention.ofPublished(published))
                .pause(Duration.ZERO));
    }

    private Housekeeper housekeeper(HousekeepingSettings.Builder settings) {
        Housekeeper housekeeper = new Housekeeper(
                "keeper-" + created.size(), database.dataSource(), store(), null, settings.build(), null);
        created.add(housekeeper);
        return housekeeper;
    }

    private static OutboxStore store() {
        try (Connection connection = database.dataSource().getConnection()) {
            return Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Times as words: {@code 7 days 1 second}. */
    private void insert(int rows, String status, String createdAgo, String publishedAgo) {
        String published = publishedAgo == null ? "null" : server.ago(time(publishedAgo));
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at,"
                + " published_at) select 'acme.a.b.v1', 'a', 'a', '1', '" + status + "', "
                + server.ago(time(createdAgo)) + ", " + published + " from " + server.numbers(1, rows));
    }

    private static Duration time(String words) {
        String[] parts = words.split(" ");
        Duration time = Duration.ZERO;
        for (int i = 0; i < parts.length; i += 2) {
            String unit = parts[i + 1].replaceFirst("s?$", "s").toUpperCase(Locale.ROOT);
            time = time.plus(Long.parseLong(parts[i]), ChronoUnit.valueOf(unit));
        }
        return time;
    }

    private static long count() {
        return Long.parseLong(database.one("select count(*) from outbox"));
    }

    private static List<String> leases() {
        return database.column("select name || ' ' || owner from outbox_lease order by name");
    }
}
