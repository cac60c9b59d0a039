package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.BatchReport;
import dev.postrider.CommitNotifier;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.RelayState;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Slf4jChannel;
import dev.postrider.failure.Backoff;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CapturedLog;
import dev.postrider.tests.support.Refusals;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The relay on a real database, with a destination that does as it is told. */
@ParameterizedClass
@EnumSource
class RelayTest {
    @Parameter
    private TestServer server;

    private static TestDatabase database;

    private final List<Relay> started = new ArrayList<>();

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
    }

    @AfterEach
    void stopRelays() {
        started.forEach(Relay::stop);
    }

    @Test
    void oneRunDeliversOneBatchAndReportsIt() {
        insert("a", 1, 2, 3);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(publisher, RelaySettings.builder().batchSize(2));

        BatchReport report = relay.runOnce();

        assertThat(report.fetched()).isEqualTo(2);
        assertThat(report.published()).isEqualTo(2);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");
        assertThat(statuses()).containsExactly("PUBLISHED", "PUBLISHED", "PENDING");
    }

    @Test
    void poisonedEventDoesNotDelayOtherKeysAndDiesAfterItsRetries() {
        insert("bad", 1);
        insert("good", 2);
        insert("bad", 3);
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.payload().text().equals("1")
                        ? new PublishResult.Rejected("poison", false)
                        : new PublishResult.Accepted());
        Relay relay = relay(publisher, RelaySettings.builder().retry(quick(2)));

        relay.runOnce();
        assertThat(publisher.acceptedBodies()).as("the other key at once").containsExactly("2");

        await().until(() -> {
            relay.runOnce();
            return publisher.accepted().size() == 2;
        });
        assertThat(publisher.acceptedBodies()).containsExactly("2", "3");
        assertThat(database.one("select status || attempts || last_error from outbox where id = 1"))
                .as("the first attempt and two retries")
                .isEqualTo("DEAD_LETTER3poison");
    }

    @Test
    void nothingLaterOfAKeyIsAcceptedWhileItsFailedEventWaits() {
        insert("a", 1, 2, 3, 4, 5);
        AtomicInteger failures = new AtomicInteger(3);
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> event.payload().text().equals("2") && failures.getAndDecrement() > 0
                        ? new PublishResult.Rejected("not yet", false)
                        : new PublishResult.Accepted());
        Relay relay = relay(publisher, RelaySettings.builder().retry(quick(5)));

        await().until(() -> {
            relay.runOnce();
            return publisher.accepted().size() == 5;
        });

        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void nothingIsSentOnceTheLeaseHasExpiredByTheDatabasesClock() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(
                publisher,
                RelaySettings.builder().leaseLength(Duration.ofSeconds(2)).pollInterval(Duration.ofMillis(20)));
        relay.start();
        String expired = "select count(*) from outbox_lease where expires_at < ";
        try (Connection stranger = database.transaction()) {
            // The lease cannot be renewed, and nothing else is in the relay's way.
            stranger.createStatement().execute("select owner from outbox_lease where name like 'relay/%' for update");
            await().until(() -> database.one(expired + now()).equals("1"));

            insert("a", 1);

            await().until(() ->
                    database.one(expired + now() + " - interval '2' second").equals("1"));
            assertThat(publisher.accepted()).isEmpty();
            stranger.rollback();
        }
        await().until(() -> publisher.acceptedBodies().equals(List.of("1")));
    }

    private String now() {
        return server == TestServer.POSTGRES ? "clock_timestamp()" : "utc_timestamp(6)";
    }

    @Test
    void eventCommittedLateIsFoundAlthoughHigherIdsWereSentLongAgo() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(
                publisher,
                RelaySettings.builder().pollInterval(Duration.ofHours(1)).polling(RelaySettings.Polling.FIXED));
        try (Connection late = database.transaction()) {
            late.createStatement()
                    .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.a.b.v1', 'a', 'late', '1')");
            insert("b", 2);
            database.execute("update outbox set created_at = created_at - interval '1' minute where id = 2");
            relay.start();
            await().until(() -> publisher.accepted().size() == 1);
            late.commit();
        }

        relay.nudge();

        await().until(() -> publisher.accepted().size() == 2);
        assertThat(publisher.acceptedBodies()).containsExactly("2", "1");
    }

    @Test
    void eventCommittedLateIsFoundAtOnceAlsoBesideAnOldRetry() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(publisher, RelaySettings.builder());
        insert("old", 1);
        database.execute("update outbox set status = 'FAILED', created_at = created_at - interval '1' hour,"
                + " next_attempt_at = created_at where id = 1");
        try (Connection late = database.transaction()) {
            late.createStatement()
                    .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('acme.a.b.v1', 'a', 'late', '2')");
            insert("b", 3);
            assertThat(relay.runOnce().published()).isEqualTo(2);
            late.commit();
        }

        assertThat(relay.runOnce().published()).isEqualTo(1);
    }

    @Test
    void deliveriesAreRecordedAgainWhenTheConnectionThatRecordsThemBreaks() {
        assumeTrue(server == TestServer.POSTGRES, "elsewhere nobody tells which connection that is");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = start(relay(publisher, RelaySettings.builder()));
        insert("a", 1);
        relay.nudge();
        await().until(() -> statuses().equals(List.of("PUBLISHED")));
        database.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and query like '%status = ''PUBLISHED'', published_at%'"
                + " and pid <> pg_backend_pid()");

        insert("a", 2, 3);
        relay.nudge();

        await().until(() -> statuses().equals(List.of("PUBLISHED", "PUBLISHED", "PUBLISHED")));
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3");
    }

    @Test
    void permanentlyBadEventDiesAtOnce() {
        insert("a", 1);
        Relay relay = relay(
                RecordingPublisher.answering(event -> new PublishResult.Rejected("too large", true)),
                RelaySettings.builder());

        assertThat(relay.runOnce().dead()).isEqualTo(1);

        assertThat(statuses()).containsExactly("DEAD_LETTER");
    }

    @Test
    void rowsOwnMaximumOfRetriesOverridesThePolicy() {
        insert("a", 1);
        database.execute("update outbox set max_retries = 0");
        Relay relay = relay(
                RecordingPublisher.answering(event -> new PublishResult.Rejected("no", false)),
                RelaySettings.builder().retry(quick(5)));

        assertThat(relay.runOnce().dead()).isEqualTo(1);
    }

    @Test
    void outageCostsNoRetries() {
        insert("a", 1);
        AtomicInteger outages = new AtomicInteger(4);
        RecordingPublisher publisher = RecordingPublisher.answering(event -> outages.getAndDecrement() > 0
                ? new PublishResult.Unavailable("no broker")
                : new PublishResult.Accepted());
        Relay relay = relay(publisher, RelaySettings.builder().retry(quick(0)));

        await().until(() -> {
            relay.runOnce();
            return publisher.accepted().size() == 1;
        });

        assertThat(database.one("select status || attempts || claims from outbox"))
                .isEqualTo("PUBLISHED05");
    }

    @Test
    void unreadableRowDiesAndTheOthersGoOn() {
        insert("a", 1);
        insert("b", 2);
        database.execute("update outbox set event_type = ' ' where id = 1");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        relay(publisher, RelaySettings.builder()).runOnce();

        assertThat(statuses()).containsExactly("DEAD_LETTER", "PUBLISHED");
    }

    @Test
    void errorThatNoDatabaseTakesAsTextIsRecordedAllTheSame() {
        insert("a", 1);
        insert("b", 2);
        Relay relay = relay(
                RecordingPublisher.answering(event -> event.payload().text().equals("1")
                        ? new PublishResult.Rejected("broken\0byte", false)
                        : new PublishResult.Accepted()),
                RelaySettings.builder());

        relay.runOnce();

        assertThat(database.column("select status || coalesce(last_error, '') from outbox order by id"))
                .containsExactly("FAILEDbroken byte", "PUBLISHED");
    }

    @Test
    void deadLetterTableThatIsLockedHarmsNoNeighbours() throws SQLException {
        insert("bad", 1);
        insert("good", 2, 3);
        database.execute("update outbox set event_type = ' ' where id = 1");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Connection maintenance = database.transaction()) {
            server.lock(maintenance, "outbox_dead_letter");
            start(relay(publisher, RelaySettings.builder().pollInterval(Duration.ofMillis(50))));

            await().until(() -> statuses().equals(List.of("SENDING", "PUBLISHED", "PUBLISHED")));
            server.unlock(maintenance);
        }

        await().until(() -> statuses().equals(List.of("DEAD_LETTER", "PUBLISHED", "PUBLISHED")));
        assertThat(database.one("select max(abandoned) from outbox")).isEqualTo("0");
        assertThat(publisher.accepted()).hasSize(2);
    }

    @Test
    void eventsOfRelaysThatWereKilledAreSentInFewBatchesInTurnWithTheOthers() {
        for (int n = 1; n <= 320; n++) {
            insert("killed-" + n % 10, n);
        }
        database.execute("update outbox set abandoned = 2");
        insert("other", 321, 322, 323);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(publisher, RelaySettings.builder().batchSize(320));
        List<Integer> batches = new ArrayList<>();

        while (publisher.accepted().size() < 323) {
            batches.add(relay.runOnce().fetched());
        }

        assertThat(batches.stream().filter(fetched -> fetched > 0))
                .as("the others, and sixteen times a sixteenth")
                .hasSize(17)
                .startsWith(3, 20);
        assertThat(publisher.acceptedBodies())
                .filteredOn(body -> body.endsWith("7"))
                .isSortedAccordingTo(Comparator.comparing(Integer::parseInt));
    }

    @Test
    void startedRelayDeliversWhatIsCommittedLater() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        start(relay(publisher, RelaySettings.builder().pollInterval(Duration.ofMillis(100))));

        insert("a", 1);

        await().until(() -> publisher.accepted().size() == 1);
        await().until(() -> statuses().equals(List.of("PUBLISHED")));
    }

    @Test
    void nudgeAndNotificationWakeARelayThatWouldSleep() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(
                publisher,
                RelaySettings.builder().pollInterval(Duration.ofHours(1)).polling(RelaySettings.Polling.FIXED));
        insert("a", 0);
        start(relay);
        await().until(() -> publisher.accepted().size() == 1);

        insert("a", 1);
        relay.nudge();
        await().until(() -> publisher.accepted().size() == 2);

        assumeTrue(server == TestServer.POSTGRES, "there are no notifications elsewhere");
        try (CommitNotifier notifier = CommitNotifier.start(database.dataSource(), OutboxTable.DEFAULT)) {
            insert("a", 2);
            notifier.committed();
            await().until(() -> publisher.accepted().size() == 3);
        }
    }

    @Test
    void severalRelaysDeliverEachEventOnceAndEachKeyInOrder() {
        List<OutboxEvent> delivered = new CopyOnWriteArrayList<>();
        for (int n = 1; n <= 300; n++) {
            insert("key-" + n % 7, n);
        }
        for (int i = 0; i < 3; i++) {
            start(relay(
                    RecordingPublisher.answering(event -> {
                        delivered.add(event);
                        return new PublishResult.Accepted();
                    }),
                    RelaySettings.builder()
                            .name("relay-" + i)
                            .batchSize(10)
                            .leaseLength(Duration.ofMinutes(1))
                            .pollInterval(Duration.ofMillis(20))));
        }

        await().until(() -> delivered.size() >= 300 && !statuses().contains("SENDING"));

        assertThat(delivered).hasSize(300);
        for (int key = 0; key < 7; key++) {
            String id = "key-" + key;
            assertThat(delivered.stream().filter(event -> event.aggregateId().equals(id)))
                    .extracting(event -> Integer.parseInt(event.payload().text()))
                    .isSorted();
        }
    }

    @Test
    void stopDrainsWhatIsInFlight() {
        insert("a", 1);
        SlowPublisher publisher = new SlowPublisher();
        Relay relay = start(relay(publisher, RelaySettings.builder()));
        await().until(() -> publisher.pending.size() == 1);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(relay::stop);
        publisher.pending.get(0).complete(new PublishResult.Accepted());

        stopped.join();
        assertThat(statuses()).containsExactly("PUBLISHED");
        assertThat(database.one("select count(*) from outbox_lease")).isEqualTo("0");
    }

    @Test
    void stopGivesBackWhatIsNotAnsweredInTime() {
        insert("a", 1);
        SlowPublisher publisher = new SlowPublisher();
        Relay relay = start(relay(publisher, RelaySettings.builder().drainTimeout(Duration.ofMillis(100))));
        await().until(() -> publisher.pending.size() == 1);

        relay.stop();

        assertThat(statuses()).containsExactly("PENDING");
    }

    @Test
    void relayWhoseRowsWereTakenOverRecordsNothing() {
        insert("a", 1);
        SlowPublisher publisher = new SlowPublisher();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        start(Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(50))
                        .build())
                .listener(new RelayMetrics(meters, "outbox"))
                .build());
        await().until(() -> publisher.pending.size() == 1);
        String owner = database.one("select locked_by from outbox");

        // Somebody else has taken the row over, as after a pause of this process.
        database.execute("insert into outbox_lease (name, owner, expires_at)"
                + " values ('relay/heir', 'heir', now() + interval '1' hour)");
        database.execute("update outbox set version = version + 1, locked_by = 'heir'");
        publisher.pending.get(0).complete(new PublishResult.Accepted());

        await().until(() ->
                meters.counter("outbox.fenced.count", "outbox", "outbox").count() == 1);
        assertThat(database.one("select status || locked_by from outbox")).isEqualTo("SENDINGheir");
        assertThat(owner).isNotEqualTo("heir");
    }

    @Test
    void metricsTellWhatHappened() {
        insert("a", 1, 2);
        insert("b", 3);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Relay relay = Relay.builder(
                        database.dataSource(),
                        RecordingPublisher.answering(
                                event -> event.payload().text().equals("3")
                                        ? new PublishResult.Rejected("no", true)
                                        : new PublishResult.Accepted()))
                .listener(new RelayMetrics(meters, "outbox"))
                .build();
        started.add(relay);

        relay.runOnce();

        assertThat(meters.get("outbox.processed.count").counter().count()).isEqualTo(2);
        assertThat(meters.get("outbox.dlq.count").counter().count()).isEqualTo(1);
        assertThat(meters.get("outbox.failed.count").counter().count()).isEqualTo(1);
        assertThat(meters.get("outbox.process.latency").timer().count()).isEqualTo(2);
        assertThat(meters.get("outbox.process.latency").timer().max(java.util.concurrent.TimeUnit.SECONDS))
                .isPositive();
        assertThat(meters.get("outbox.pending.count").gauge().value()).isZero();
    }

    @Test
    void missingTableIsExplainedAtStart() {
        Relay relay = Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                .table(OutboxTable.parse("nowhere"))
                .build();

        assertThatThrownBy(relay::start)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("no outbox table nowhere");
    }

    @Test
    void destinationThatDoesNotAnswerIsSeenInStateStatusMetricsAndLog() {
        SlowPublisher publisher = new SlowPublisher();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (CapturedLog log = new CapturedLog()) {
            insert("a", 1);
            insert("b", 2);
            Relay relay = start(Relay.builder(database.dataSource(), publisher)
                    .settings(RelaySettings.builder()
                            .noAnswerAfter(Duration.ofMillis(300))
                            .build())
                    .listener(new RelayMetrics(meters, "outbox"))
                    .build());

            await().until(() -> relay.state().noAnswerFor() != null);
            await().until(() -> meters.get("outbox.unanswered.count").gauge().value() == 2);
            assertThat(meters.get("outbox.unanswered.age").gauge().value()).isGreaterThan(0.2);
            await().until(() -> database.one("select max(state) from outbox_lease where name like 'relay/%'")
                    .startsWith("closed, no answer for "));
            if (server == TestServer.POSTGRES) {
                assertThat(database.one("select count(*) from outbox_lease where failing_since is not null"))
                        .as("it keeps its share: its circuit is closed")
                        .isEqualTo("0");
            }
            assertThat(log.lines("WARN", "no answer from the destination", "2 events, rows [1, 2]"))
                    .hasSize(1);

            publisher.pending.forEach(answer -> answer.complete(new PublishResult.Accepted()));
            await().until(() -> relay.state().noAnswerFor() == null);
            await().until(() -> meters.get("outbox.unanswered.count").gauge().value() == 0);
            await().until(() -> database.one("select max(state) from outbox_lease where name like 'relay/%'")
                    .equals("closed"));
        }
    }

    @Test
    void rowAtWhichABatchStoppedBecauseTheCircuitOpenedIsNamed() {
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> Integer.parseInt(event.payload().text()) <= 3
                        ? new PublishResult.Accepted()
                        : new PublishResult.Unavailable("no broker"));
        for (int n = 1; n <= 20; n++) {
            insert("key-" + n, n);
        }
        try (CapturedLog log = new CapturedLog()) {
            relay(publisher, RelaySettings.builder()).runOnce();

            assertThat(log.lines("WARN", "the batch stopped at row 4: the circuit opened"))
                    .hasSize(1);
            assertThat(log.lines("WARN", "circuit closed → open")).hasSize(1);
        }
    }

    @Test
    void deadLetterIsOneErrorInTheLogWithAlertsInItToo() {
        insert("a", 1);
        try (CapturedLog log = new CapturedLog()) {
            CountDownLatch told = new CountDownLatch(1);
            start(Relay.builder(
                            database.dataSource(),
                            RecordingPublisher.answering(event -> new PublishResult.Rejected("hopeless", true)))
                    .alerts(AlertRules.defaults(), List.of(new Slf4jChannel("relay"), (AlertChannel)
                            alert -> told.countDown()))
                    .build());

            await().until(() -> told.getCount() == 0);
            assertThat(log.lines("ERROR")).singleElement().asString().contains("dead letter (row 1)");
        }
    }

    @Test
    void missingTableIsNamedWithoutAStackTraceAndItsReturnIsTold() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (CapturedLog log = new CapturedLog()) {
            start(relay(publisher, RelaySettings.builder().pollInterval(Duration.ofMillis(20))));
            insert("a", 1);
            await().until(() -> publisher.accepted().size() == 1);
            database.execute("alter table outbox rename to outbox_elsewhere");
            try {
                await().until(() -> !log.lines("ERROR", "the database refuses the relay's statements")
                        .isEmpty());
            } finally {
                database.execute("alter table outbox_elsewhere rename to outbox");
            }
            insert("a", 2);
            await().until(() -> publisher.accepted().size() == 2);
            await().until(() -> !log.lines("INFO", "the database works again").isEmpty());
            assertThat(log.lines("\tat ")).isEmpty();
            assertThat(log.lines("does not answer")).isEmpty();
        }
    }

    @Test
    void deadlockCostsNoConnection() {
        Refusals.byTrigger(database, "outbox", "update", "new.aggregate_id = 'deadlocked'", "40001");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (CapturedLog log = new CapturedLog()) {
            start(relay(publisher, RelaySettings.builder().pollInterval(Duration.ofMillis(20))));
            insert("deadlocked", 1);
            await().until(() -> !log.lines("RelayLoop", "refused by a trigger").isEmpty());
            database.execute("delete from outbox");
            insert("a", 2);
            await().until(() -> publisher.accepted().size() == 1);
            assertThat(log.lines("\tat ")).isEmpty();
        }
    }

    @Test
    void replicationStreamIsRefusedWhereThereIsNoneAndAutoDoesWithoutIt() {
        assumeTrue(server == TestServer.MARIADB);
        Replication replication = Replication.to(database.jdbcUrl(), database.user(), database.password());
        Relay asked = Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                .settings(RelaySettings.builder().wakeUp(WakeUp.WAL).build())
                .replication(replication)
                .build();
        started.add(asked);

        assertThatThrownBy(asked::start)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("relay.wake-up is wal")
                .hasMessageContaining("only PostgreSQL");

        Relay auto = start(Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                .replication(replication)
                .build());
        assertThat(auto.state().waking()).isEqualTo(new RelayState.Waking(WakeUp.POLL, null));
        assertThat(OutboxAdmin.builder(database.dataSource()).build().status().stream())
                .isNull();
    }

    @Test
    void badSettingsNameTheOptionItsValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> RelaySettings.builder().batchSize(0).build())
                .hasMessage("relay.batch-size is 0; it must be a whole number from 1 to 10000.");
    }

    /** Answers when the test says so. */
    private static final class SlowPublisher implements Publisher {
        final List<CompletableFuture<PublishResult>> pending = new CopyOnWriteArrayList<>();

        @Override
        public String destination(OutboxEvent event) {
            return "slow";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            CompletableFuture<PublishResult> answer = new CompletableFuture<>();
            pending.add(answer);
            return answer;
        }

        @Override
        public void halt() {
            pending.forEach(answer -> answer.complete(new PublishResult.Unresolved()));
        }
    }

    private Relay relay(Publisher publisher, RelaySettings.Builder settings) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(settings.build())
                .build();
        started.add(relay);
        return relay;
    }

    private Relay start(Relay relay) {
        started.add(relay);
        relay.start();
        return relay;
    }

    private static Backoff quick(int maxRetries) {
        return new Backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, maxRetries);
    }

    private static void insert(String key, int... bodies) {
        for (int body : bodies) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "')");
        }
    }

    private static List<String> statuses() {
        return database.column("select status from outbox order by id");
    }
}
