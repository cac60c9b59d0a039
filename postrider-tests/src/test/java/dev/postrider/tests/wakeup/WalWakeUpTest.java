package dev.postrider.tests.wakeup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.CommitNotifier;
import dev.postrider.Delivery;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayState;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CapturedLog;
import dev.postrider.tests.support.ChildJvm;
import dev.postrider.tests.support.SilentProxy;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A relay woken by PostgreSQL's replication stream. Writers here send no notifications, and the next poll is ten minutes away: what
 * is delivered, the stream has rung for, or the relay has looked because it did not trust the stream.
 */
class WalWakeUpTest {
    private static final String ROLE = "bell_ringer";
    private static final String PASSWORD = "ding";
    private static final String STREAMS = "from pg_stat_replication where application_name like 'postrider-%'";
    private static final String SLOTS = "select slot_name from pg_replication_slots where slot_name like 'postrider_%'";

    private static TestDatabase log;
    private static TestDatabase claims;

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @BeforeAll
    static void start() {
        log = outbox(OutboxLayout.log(2));
        claims = outbox(OutboxLayout.claim());
        log.execute("drop role if exists " + ROLE);
        log.execute("create role " + ROLE + " login replication password '" + PASSWORD + "'");
    }

    private static TestDatabase outbox(OutboxLayout layout) {
        TestDatabase database = TestDatabase.withOutbox(layout);
        OutboxSchema.publish(database.dataSource(), OutboxTable.DEFAULT);
        // Nobody waits for a standby, except for the writer that wants to.
        database.execute(
                "alter database " + database.one("select current_database()") + " set synchronous_commit = local");
        database.reconnect();
        return database;
    }

    @AfterAll
    static void stop() {
        log.execute("drop role " + ROLE);
        log.close();
        claims.close();
    }

    @AfterEach
    void stopRelays() throws Exception {
        for (AutoCloseable one : toClose) {
            one.close();
        }
        waiting()
                .untilAsserted(() -> assertThat(log.column(SLOTS))
                        .as("slots after the relays have stopped")
                        .isEmpty());
    }

    static List<TestDatabase> bothModes() {
        return List.of(log, claims);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("bothModes")
    void everyEventOfPlainSqlArrivesWithoutPollingAndNothingThatWasRolledBack(TestDatabase database) throws Exception {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        start(database, publisher);

        List<String> committed = new ArrayList<>();
        Random random = new Random(17);
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 150; i++) {
                List<String> written = new ArrayList<>(List.of("mixed" + i));
                insert(statement, "mixed" + i);
                Savepoint savepoint = connection.setSavepoint();
                insert(statement, "mixed-after" + i);
                if (random.nextBoolean()) {
                    connection.rollback(savepoint);
                } else {
                    written.add("mixed-after" + i);
                }
                if (random.nextInt(3) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.addAll(written);
                }
            }
        }

        waiting()
                .untilAsserted(() -> assertThat(bodies(publisher))
                        .filteredOn(body -> body.startsWith("mixed"))
                        .containsExactlyInAnyOrderElementsOf(committed));
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("bothModes")
    void ringBeforeItsCommitIsVisibleIsNotLost(TestDatabase database) throws Exception {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        start(database, publisher);
        CompletableFuture<Void> commit;
        try (Connection writer = database.transaction();
                Statement statement = writer.createStatement()) {
            // A standby that does not answer.
            database.execute("alter system set synchronous_standby_names = 'absent'");
            reload(database);
            try {
                statement.execute("set local synchronous_commit = on");
                insert(statement, "late");
                commit = CompletableFuture.runAsync(() -> commit(writer));
                waiting()
                        .until(() -> database.column("select pid from pg_stat_activity where wait_event = 'SyncRep'")
                                        .size()
                                == 1);
                String commits = database.one("select pg_current_wal_flush_lsn()");
                // The commit was sent on the stream and confirmed: it has rung.
                waiting()
                        .until(() -> database.column("select flush_lsn >= '" + commits + "' " + STREAMS)
                                .contains("t"));
                assertThat(publisher.accepted()).as("while nobody can see it").isEmpty();
            } finally {
                database.execute("alter system reset synchronous_standby_names");
                reload(database);
            }
            commit.get(60, TimeUnit.SECONDS);

            awaitDelivery(publisher, "late");
        }
    }

    @Test
    void withExactlyOnceTheShardsAreWoken() throws SQLException {
        TestTopics topics = new TestTopics("woken");
        topics.create("thing-events", 2);
        try (TestDatabase database = outbox(new OutboxLayout(OutboxMode.LOG, 2, Delivery.EXACTLY_ONCE))) {
            KafkaPublisher kafka = KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                    .routing(topics.routing())
                    .property("linger.ms", "0")
                    .build();
            try (Relay relay = start(database, kafka)) {
                waiting().until(() -> relay.state().shards().size() == 2);
                List<String> bodies = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    insert(database, "once" + i);
                    bodies.add("\"once" + i + "\"");
                }

                assertThat(topics.read("thing-events", new StringDeserializer(), 10))
                        .extracting(ConsumerRecord::value)
                        .containsExactlyInAnyOrderElementsOf(bodies);
            }
        }
    }

    @Test
    void streamThatIsCutIsOpenedAgainAndNothingIsMissed() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = start(log, publisher);
        String slot = log.one(SLOTS);

        log.execute("select pg_terminate_backend(pid) " + STREAMS);
        insert(log, "meanwhile");

        awaitDelivery(publisher, "meanwhile");
        awaitRinging(relay);
        assertThat(log.one(SLOTS)).as("a slot of its own").isNotEqualTo(slot);
        insert(log, "afterwards");
        awaitDelivery(publisher, "afterwards");
    }

    @Test
    void withoutThePrivilegeItFallsBackSaysSoOnceAndComesBack() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (CapturedLog said = new CapturedLog()) {
            Relay relay = start(claims, publisher);

            claims.execute("alter role " + ROLE + " noreplication");
            claims.execute("select pg_terminate_backend(pid) " + STREAMS);
            waiting().untilAsserted(() -> {
                RelayState.Waking waking = relay.state().waking();
                assertThat(waking).isNotNull();
                assertThat(waking.inForce()).isEqualTo(WakeUp.NOTIFY);
                assertThat(waking.lacking()).containsIgnoringCase("replication");
            });
            insert(claims, "notified");
            try (CommitNotifier notifier = CommitNotifier.start(claims.dataSource(), OutboxTable.DEFAULT)) {
                notifier.committed();
                awaitDelivery(publisher, "notified");
            }

            claims.execute("alter role " + ROLE + " replication");
            awaitRinging(relay);
            insert(claims, "again");
            awaitDelivery(publisher, "again");
            assertThat(said.lines("WARN", "is not woken by the replication stream"))
                    .hasSize(1);
            assertThat(said.lines("INFO", "is woken by the replication stream")).hasSize(2);
        }
    }

    @Test
    void networkThatGoesSilentIsNoticedAndNothingIsMissed() throws Exception {
        try (SilentProxy wire = new SilentProxy(DevPostgres.shared().port())) {
            String around = log.jdbcUrl().replace(":" + DevPostgres.shared().port() + "/", ":" + wire.port() + "/");
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            Relay relay = started(
                    RingingRelay.of("relay", log.dataSource(), publisher, Replication.to(around, ROLE, PASSWORD)));
            awaitRinging(relay);

            wire.silence();
            waiting().until(() -> relay.state().waking().inForce() == WakeUp.NOTIFY);
            insert(log, "in silence");
            wire.restore();

            awaitDelivery(publisher, "in silence");
            awaitRinging(relay);
        }
    }

    @Test
    void streamOutlivesABrokerOutageThatIsLongerThanTheSendersTimeout() throws SQLException, InterruptedException {
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> new PublishResult.Unavailable("broker", "outage"));
        Relay relay = start(claims, publisher);
        String sender = claims.one("select pid " + STREAMS);
        insert(claims, "during the outage");

        // Longer than the relay's network timeout, which is the sender's here.
        Thread.sleep(6_000);
        publisher.answer(event -> new PublishResult.Accepted());

        awaitDelivery(publisher, "during the outage");
        insert(claims, "after it");
        awaitDelivery(publisher, "after it");
        assertThat(relay.state().waking()).isEqualTo(new RelayState.Waking(WakeUp.WAL, null));
        assertThat(claims.one("select pid " + STREAMS)).as("the same stream").isEqualTo(sender);
    }

    @Test
    void oneStreamWakesBothRelaysAndTheOtherTakesItOverWhenItsReaderIsKilled() throws Exception {
        Process first = ChildJvm.of(
                        RingingRelay.class, List.of("-Xmx64m"), log.jdbcUrl(), log.user(), log.password(), "first")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            waiting()
                    .until(() -> log.column(SLOTS + " and active").size() == 1
                            && log.column("select pid " + STREAMS + " and state = 'streaming'")
                                            .size()
                                    == 1);
            assertThat(reader(log)).startsWith("first#");
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            Relay second = start(log, publisher);
            waiting().until(() -> second.state().shards().size() == 1);
            assertThat(log.column(SLOTS)).as("one stream for both").hasSize(1);

            // The first time it may look because it has just got its shard; not again and again.
            for (int round = 0; round < 5; round++) {
                insertSeveral("shared" + round + "-");
            }
            assertThat(bodies(publisher))
                    .as("what this one was woken for")
                    .anyMatch(body -> body.startsWith("shared4-"));

            first.destroyForcibly().waitFor();
            insertSeveral("orphan");
            waiting().untilAsserted(() -> assertThat(reader(log)).startsWith("relay#"));
            awaitRinging(second);
            insertSeveral("inherited");
            assertThat(bodies(publisher))
                    .filteredOn(body -> body.startsWith("inherited"))
                    .hasSize(20);
        } finally {
            first.destroyForcibly();
        }
    }

    @Test
    void relayStartsAndDeliversWhileItsSlotWaitsForSomebodysTransaction() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Connection stranger = claims.transaction();
                Statement statement = stranger.createStatement()) {
            statement.execute("create temporary table in_the_way (id int)");
            insert(claims, "first look");
            Relay relay = started(relay(claims, publisher));
            awaitDelivery(publisher, "first look");
            waiting().until(() -> log.column(SLOTS).size() == 1);
            assertThat(relay.state().waking().inForce()).isEqualTo(WakeUp.NOTIFY);
            assertThat(relay.state().waking().lacking()).contains("being opened");

            relay.stop();

            waiting()
                    .untilAsserted(() -> assertThat(log.column(SLOTS))
                            .as("while it still waits")
                            .isEmpty());
        }
    }

    @Test
    void publicationIsOfTheIdsOfInsertsAndMadeAndDroppedOnce() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            assertThat(stream(database).lacking()).hasSize(1).first().asString().contains("migrate --wal");

            assertThat(OutboxSchema.publish(database.dataSource(), OutboxTable.DEFAULT))
                    .isTrue();
            assertThat(OutboxSchema.publish(database.dataSource(), OutboxTable.DEFAULT))
                    .isFalse();

            assertThat(database.one(
                            "select concat_ws(' ', pubinsert, pubupdate, pubdelete, pubtruncate) from pg_publication"))
                    .isEqualTo("t f f f");
            assertThat(database.one("select tablename || attnames::text from pg_publication_tables"))
                    .isEqualTo("outbox{id}");
            assertThat(stream(database).lacking()).isEmpty();
            assertThat(OutboxSchema.unpublish(database.dataSource(), OutboxTable.DEFAULT))
                    .isTrue();
            assertThat(OutboxSchema.unpublish(database.dataSource(), OutboxTable.DEFAULT))
                    .isFalse();
        }
    }

    @Test
    void serverWithoutWhatItTakesIsToldByStatusAndByTheRelay() {
        try (DevPostgres plain =
                        DevPostgres.builder().setting("wal_level", "replica").start();
                TestDatabase database = TestDatabase.emptyOn(plain)) {
            OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, OutboxLayout.log(1));
            OutboxSchema.publish(database.dataSource(), OutboxTable.DEFAULT);
            Relay relay = RingingRelay.of(
                            "relay",
                            database.dataSource(),
                            RecordingPublisher.acceptingAll(),
                            Replication.to(database.jdbcUrl(), database.user(), database.password()))
                    .build();
            relay.start();
            try {
                waiting()
                        .untilAsserted(() -> assertThat(relay.state().waking().lacking())
                                .isEqualTo("wal_level is replica: set it to logical and restart the server"));
                assertThat(relay.state().waking().inForce()).isEqualTo(WakeUp.NOTIFY);
                assertThat(stream(database).lacking())
                        .singleElement()
                        .asString()
                        .contains("wal_level is replica");
            } finally {
                relay.stop();
            }
        }
    }

    @Test
    void streamIsReadOnlyWhereItIsAskedFor() {
        assertThatThrownBy(
                        () -> RingingRelay.of("relay", log.dataSource(), RecordingPublisher.acceptingAll(), WakeUp.WAL)
                                .build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("db.replication-user");

        Relay relay =
                started(RingingRelay.of("relay", log.dataSource(), RecordingPublisher.acceptingAll(), WakeUp.AUTO));
        assertThat(relay.state().waking()).isEqualTo(new RelayState.Waking(WakeUp.NOTIFY, null));
        assertThat(stream(log).reader()).isNull();
        relay.stop();

        Relay configured =
                started(RingingRelay.of("relay", log.dataSource(), RecordingPublisher.acceptingAll(), WakeUp.AUTO)
                        .replication(replication(log)));
        awaitRinging(configured);
    }

    @Test
    @Tag(Torture.ONLY)
    void transactionOfHalfAMillionRowsAndTenThousandSmallOnesArrive() throws SQLException {
        AtomicInteger delivered = new AtomicInteger();
        Relay relay = started(RingingRelay.of("relay", log.dataSource(), counting(delivered), replication(log)));
        awaitRinging(relay);

        log.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.large.v1', 'large', (n % 1000)::text, '1' from generate_series(1, 500000) n");
        waiting().atMost(Duration.ofMinutes(10)).until(() -> delivered.get() >= 500_000);
        for (int i = 0; i < 10_000; i++) {
            insert(log, "small" + i);
        }

        waiting().atMost(Duration.ofMinutes(5)).until(() -> delivered.get() >= 510_000);
        awaitRinging(relay);
    }

    private static Publisher counting(AtomicInteger delivered) {
        return new Publisher() {
            @Override
            public String destination(OutboxEvent event) {
                return "counted";
            }

            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                delivered.incrementAndGet();
                return CompletableFuture.completedFuture(new PublishResult.Accepted());
            }
        };
    }

    private static ConditionFactory waiting() {
        return await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50));
    }

    private Relay start(TestDatabase database, Publisher publisher) {
        Relay relay = started(relay(database, publisher));
        waiting().untilAsserted(() -> {
            assertThat(relay.state().waking()).isEqualTo(new RelayState.Waking(WakeUp.WAL, null));
            assertThat(stream(database).reader()).isNotNull();
        });
        return relay;
    }

    private static Relay.Builder relay(TestDatabase database, Publisher publisher) {
        return RingingRelay.of("relay", database.dataSource(), publisher, replication(database));
    }

    private static Replication replication(TestDatabase database) {
        return Replication.to(database.jdbcUrl(), ROLE, PASSWORD);
    }

    private Relay started(Relay.Builder builder) {
        Relay relay = builder.build();
        toClose.add(relay);
        relay.start();
        return relay;
    }

    private static void awaitRinging(Relay relay) {
        waiting()
                .untilAsserted(
                        () -> assertThat(relay.state().waking()).isEqualTo(new RelayState.Waking(WakeUp.WAL, null)));
    }

    private static void awaitDelivery(RecordingPublisher publisher, String body) {
        waiting().untilAsserted(() -> assertThat(bodies(publisher)).contains(body));
    }

    private static List<String> bodies(RecordingPublisher publisher) {
        return publisher.acceptedBodies().stream()
                .map(body -> body.replace("\"", ""))
                .toList();
    }

    private static OutboxStatus.Stream stream(TestDatabase database) {
        return OutboxAdmin.builder(database.dataSource()).build().status().stream();
    }

    private static String reader(TestDatabase database) {
        return String.valueOf(stream(database).reader());
    }

    /** In shards of both relays, and waits until all of them are delivered. */
    private static void insertSeveral(String prefix) throws SQLException {
        for (int i = 0; i < 20; i++) {
            insert(log, prefix + i);
        }
        waiting()
                .untilAsserted(() -> assertThat(OutboxAdmin.builder(log.dataSource())
                                .build()
                                .levels(1000)
                                .pending())
                        .isZero());
    }

    private static void insert(TestDatabase database, String body) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            insert(statement, body);
        }
    }

    /** As any language does: no notification, no nudge. The body is the aggregate as well. */
    private static void insert(Statement statement, String body) throws SQLException {
        statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.thing.done.v1', 'thing', '" + body + "', '\"" + body + "\"')");
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void reload(TestDatabase database) {
        database.execute("select pg_reload_conf()");
    }
}
