package dev.postrider.tests.failure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.WebhookChannel;
import dev.postrider.alert.webhook.WebhookFormat;
import dev.postrider.devservices.DevKafka;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CapturedLog;
import dev.postrider.tests.support.Refusals;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that nobody takes, and what becomes of them and of those around them. */
@ParameterizedClass
@MethodSource("dev.postrider.tests.support.Torture#servers")
@Tag(Torture.ALSO)
class PoisonTest {
    @Parameter
    private TestServer server;

    @TempDir
    private Path directory;

    private TestDatabase database;
    private final List<Relay> relays = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Alert> alerts = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        database = TestDatabase.withOutbox(server);
    }

    @AfterEach
    void close() {
        relays.forEach(Relay::stop);
        database.close();
    }

    static Stream<String> refusals() {
        return Torture.oneOf("45000", "23514", "XX001", "22000");
    }

    static Stream<String> troubles() {
        return Torture.oneOf("53100", "42501", "25006");
    }

    static Stream<String> prohibitions() {
        return Torture.oneOf("42501", "45000");
    }

    @ParameterizedTest
    @EnumSource
    void poisonedKeyAmongAHundredDelaysNoneOfTheOthers(DeadLetterSettings.Then then) {
        for (int n = 0; n < 300; n++) {
            insert("key-" + n % 100, Integer.toString(n));
        }
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.payload().text().equals("42")
                        ? new PublishResult.Rejected("PoisonException", "poison", false)
                        : new PublishResult.Accepted());
        start(publisher, then);

        await().until(() -> status(43).equals("DEAD_LETTER"));
        List<String> others = publisher.acceptedBodies();
        assertThat(others.subList(0, 297)).doesNotContain("42", "142", "242");

        if (then == DeadLetterSettings.Then.CONTINUE) {
            await().until(() -> publisher.accepted().size() == 299);
            assertThat(publisher.acceptedBodies()).containsSubsequence("142", "242");
        } else {
            await().until(() -> status(143).equals("HELD") && status(243).equals("HELD"));
            assertThat(publisher.accepted()).hasSize(297);
        }
        assertThat(database.one("select error_class || '|' || reason || '|' || attempts from outbox_dead_letter"))
                .isEqualTo("PoisonException|poison|3");
    }

    @Test
    void eventTooLargeForTheTopicIsOvertakenByNoneOfItsKey() throws SQLException {
        TestTopics topics = new TestTopics("poison");
        topics.create("transfer-events", 1, "max.message.bytes", "10000");
        String large = "\"" + "x".repeat(50_000) + "\"";
        int rounds = server == TestServer.POSTGRES && Torture.isOn() ? 8 : 2;
        Outbox outbox = Outbox.builder().build();
        for (int round = 0; round < rounds; round++) {
            try (Connection connection = database.transaction()) {
                List<OutboxEvent> events = new ArrayList<>();
                for (int n = 0; n < 50; n++) {
                    events.add(event("\"" + round + "/" + n + "\""));
                }
                events.add(25, event(large));
                outbox.write(connection, events);
                connection.commit();
            }
        }
        // A dead letter holds its key, so whatever is in the topic behind it was there too early.
        start(
                KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                        .routing(topics.routing())
                        .build(),
                DeadLetterSettings.Then.HOLD_KEY);

        for (int round = 0; round < rounds; round++) {
            int deadSoFar = round + 1;
            await().atMost(Duration.ofMinutes(1)).until(() -> deadLetters() == deadSoFar);
            List<String> sofar = bodies(topics, 50 * round + 25);
            assertThat(sofar).as("round " + round).hasSize(50 * round + 25);
            // What an operator does when he discards it.
            database.execute("update outbox set holds_key = false, version = version + 1 where status = 'DEAD_LETTER'");
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> unsent() == 0);

        List<String> expected = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (int n = 0; n < 50; n++) {
                expected.add("\"" + round + "/" + n + "\"");
            }
        }
        assertThat(bodies(topics, expected.size()).stream().distinct().toList()).isEqualTo(expected);
    }

    @Test
    void rowChangedAfterItWasWrittenIsADeadLetterAtOnceAndNeverSent() throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder().build().write(connection, List.of(event("{\"amount\": 1}"), event("{\"amount\": 2}")));
            connection.commit();
        }
        database.execute("update outbox set payload = '{\"amount\": 1000}' where id = 1");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> publisher.accepted().size() == 1);
        await().until(() -> alerts.stream().anyMatch(alert -> alert.rule().contains("integrity")));
        assertThat(publisher.acceptedBodies()).containsExactly("{\"amount\": 2}");
        assertThat(database.one("select error_class || attempts from outbox_dead_letter"))
                .isEqualTo("integrity1");
        assertThat(meters.get("outbox.integrity.failure.count").counter().count())
                .isEqualTo(1);
    }

    @Test
    void whoChangesARowCannotMakeItsKeyedHash() throws SQLException {
        byte[] key = "a secret of some length".getBytes(UTF_8);
        try (Connection connection = database.transaction()) {
            Outbox.builder().integrityKey(key).build().write(connection, List.of(event("1"), event("2")));
            connection.commit();
        }
        database.execute("update outbox set payload = '3', content_hash = '" + sha256("|acme.transfer.completed.v1|3")
                + "' where id = 1");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        Relay relay = Relay.builder(database.dataSource(), publisher)
                .integrityKey(key)
                .build();
        relays.add(relay);
        relay.runOnce();

        assertThat(publisher.acceptedBodies()).containsExactly("2");
        assertThat(status(1)).isEqualTo("DEAD_LETTER");
    }

    @Test
    void deadLetterGoesToTheFileIfTheTableIsGone() throws IOException {
        insert("a", "{ \"spaced\" :\\n 1 }".replace("\\n", "\n"));
        String odd = "{\n\"odd\": \"\\u0000\"}";
        database.execute("update outbox set headers = '"
                + (server == TestServer.POSTGRES ? odd : odd.replace("\\", "\\\\")) + "'");
        database.execute("drop table outbox_dead_letter");

        start(
                RecordingPublisher.answering(event -> new PublishResult.Rejected("no", true)),
                DeadLetterSettings.Then.CONTINUE);

        await().until(() -> status(1).equals("DEAD_LETTER"));
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).contains("\"payload_text\":\"{ \\\"spaced\\\" :\\n 1 }\"", "\"event_id\"");
        assertThat(meters.get("outbox.dlq.file.count").counter().count()).isEqualTo(1);
    }

    @Test
    void deadLetterGoesToTheAlertIfTheFileCannotBeWrittenEither() throws IOException {
        insert("a", "{\"amount\": 1}");
        database.execute("drop table outbox_dead_letter");
        // No directory can be made where a file is.
        Files.createFile(directory.resolve("letters"));
        Relay relay = Relay.builder(
                        database.dataSource(),
                        RecordingPublisher.answering(event -> new PublishResult.Rejected("no", true)))
                .settings(RelaySettings.builder()
                        .deadLetters(new DeadLetterSettings(
                                DeadLetterSettings.Then.CONTINUE, directory.resolve("letters/dead.jsonl")))
                        .build())
                .alerts(AlertRules.defaults(), List.of((AlertChannel) alerts::add))
                .build();
        relays.add(relay);

        relay.start();

        await().until(() -> status(1).equals("DEAD_LETTER"));
        await().untilAsserted(() -> assertThat(alerts)
                .anySatisfy(alert -> assertThat(alert.toString()).contains("{\\\"amount\\\": 1}")));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void deadLettersGoToTheFileIfATriggerOfTheirTableRefusesThemAndTheRelayGoesOn(String sqlState) throws IOException {
        Refusals.byTrigger(database, "outbox_dead_letter", "insert", "new.aggregate_id <> 'fine'", sqlState);
        for (int n = 0; n < 6; n++) {
            insert("key-" + n, n % 2 == 0 ? "\"bad\"" : "\"good\"");
        }
        insert("fine", "\"bad\"");
        RecordingPublisher publisher = refusingTheBad();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(publisher.accepted()).hasSize(3);
        assertThat(Files.readAllLines(file())).hasSize(3).allMatch(line -> line.contains("\\\"bad\\\""));
        assertThat(database.one("select aggregate_id from outbox_dead_letter")).isEqualTo("fine");
    }

    @Test
    void deadLettersGoToTheFileIfAConstraintOfTheirTableRefusesThem() throws IOException {
        database.execute("alter table outbox_dead_letter add constraint nothing_to_see check (attempts > 1000)");
        insert("a", "\"bad\"");
        insert("b", "\"good\"");
        RecordingPublisher publisher = refusingTheBad();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(Files.readAllLines(file())).hasSize(1);
        assertThat(publisher.accepted()).hasSize(1);
    }

    /** As the database says it: forbidden, disk full, read-only. */
    @ParameterizedTest
    @MethodSource("troubles")
    void deadLettersGoToTheFileIfTheirTableIsForbiddenFullOrReadOnly(String sqlState) throws IOException {
        Refusals.byTrigger(database, "outbox_dead_letter", "insert", "new.outbox_id > 0", sqlState);
        insert("a", "\"bad\"");
        insert("b", "\"good\"");
        RecordingPublisher publisher = refusingTheBad();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(Files.readAllLines(file())).hasSize(1);
        assertThat(publisher.accepted()).hasSize(1);
    }

    @Test
    void fileOfDeadLettersIsForItsOwnerAloneAlsoIfItWasThereBefore() throws IOException {
        database.execute("drop table outbox_dead_letter");
        insert("a", "\"bad\"");
        start(refusingTheBad(), DeadLetterSettings.Then.CONTINUE);
        await().until(() -> unsent() == 0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");

        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        insert("b", "\"bad\"");
        await().until(() -> unsent() == 0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(Files.readAllLines(file())).hasSize(2);
    }

    @Test
    void deadLetterIsToldWithoutItsPayloadIfThatIsNotToBeTold() throws IOException {
        insert("a", "\"secret\"");
        database.execute("drop table outbox_dead_letter");
        Files.createDirectories(file());
        Relay relay = Relay.builder(
                        database.dataSource(),
                        RecordingPublisher.answering(event -> new PublishResult.Rejected("no", true)))
                .settings(RelaySettings.builder()
                        .deadLetters(new DeadLetterSettings(DeadLetterSettings.Then.CONTINUE, file(), false))
                        .build())
                .alerts(AlertRules.defaults(), List.of((AlertChannel) alerts::add))
                .build();
        relays.add(relay);

        try (CapturedLog log = new CapturedLog()) {
            relay.start();
            await().until(() -> alerts.stream().anyMatch(alert -> alert.rule().equals("dead-letter-unsaved")));
            assertThat(log.lines("saved nowhere but in this line", "payload_omitted"))
                    .hasSize(1);
            assertThat(log.lines("secret")).isEmpty();
        }
        assertThat(alerts)
                .noneMatch(alert -> alert.toString().contains("secret"))
                .anyMatch(alert -> alert.toString().contains("\"event_id\""));
    }

    @Test
    void eventWithoutAHashIsADeadLetterAtOnceWhereAHashIsRequired() throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder().build().write(connection, event("1"));
            connection.commit();
        }
        insert("b", "2");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .listener(new RelayMetrics(meters, "outbox"))
                .alerts(AlertRules.defaults(), List.of((AlertChannel) alerts::add))
                .integrityRequired()
                .build();
        relays.add(relay);

        relay.start();

        await().until(() -> status(2).equals("DEAD_LETTER"));
        await().until(() -> unsent() == 0);
        assertThat(publisher.acceptedBodies()).containsExactly("1");
        assertThat(database.one("select error_class || ': ' || reason from outbox_dead_letter"))
                .isEqualTo("integrity: The row has no content hash, and the relay requires one.");
        await().until(() -> alerts.stream().anyMatch(alert -> alert.rule().equals("integrity")));
        await().until(() ->
                meters.get("outbox.integrity.failure.count").counter().count() == 1);
    }

    /** Raised as an error of the user's own, as a lack of privileges, which policies of row security do, or at the commit. */
    @ParameterizedTest
    @ValueSource(strings = {"45000", "42501", "deferred"})
    void rowThatCannotBeClaimedIsADeadLetterAndItsNeighboursAreDelivered(String how) {
        String guilty = "new.status = 'SENDING' and new.aggregate_id like 'bad%'";
        if (how.equals("deferred")) {
            assumeTrue(server == TestServer.POSTGRES);
            Refusals.byDeferredTrigger(database, "outbox", guilty);
        } else {
            Refusals.byTrigger(database, "outbox", "update", guilty, how);
        }
        for (int n = 0; n < 40; n++) {
            insert((n % 10 == 3 ? "bad-" : "good-") + n, Integer.toString(n));
        }
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(publisher.accepted()).hasSize(36);
        assertThat(database.column(
                        "select error_class || ' ' || aggregate_id from outbox_dead_letter order by outbox_id"))
                .containsExactly(
                        "database-error bad-3",
                        "database-error bad-13",
                        "database-error bad-23",
                        "database-error bad-33");
    }

    @ParameterizedTest
    @CsvSource({"and new.published_at is not null, 45000", "'', 45000", "'', 42501"})
    void deliveredEventWhoseRowCannotBeMarkedIsNotSentAgain(String howEver, String sqlState) {
        Refusals.byTrigger(
                database,
                "outbox",
                "update",
                "new.status = 'PUBLISHED' and new.aggregate_id = 'bad' " + howEver,
                sqlState);
        insert("good-1", "1");
        insert("bad", "2");
        insert("bad", "3");
        insert("good-2", "4");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.HOLD_KEY);

        await().until(() -> unsent() == 0);
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(database.column("select status from outbox where aggregate_id = 'bad'"))
                .containsOnly(howEver.isEmpty() ? "DEAD_LETTER" : "PUBLISHED");
    }

    @ParameterizedTest
    @MethodSource("prohibitions")
    void rowThatCannotBeChangedAtAllClosesItsKeyAndTheOthersGoOn(String sqlState) {
        Refusals.byTrigger(database, "outbox", "update", "old.id = 2", sqlState);
        insert("good-1", "1");
        insert("bad", "2");
        insert("bad", "3");
        for (int n = 4; n <= 20; n++) {
            insert("good-" + n, Integer.toString(n));
        }
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> publisher.accepted().size() == 18);
        assertThat(publisher.acceptedBodies()).doesNotContain("2", "3");
        assertThat(status(2)).isEqualTo("PENDING");
    }

    @Test
    void eventsOfADeadRelayThatCannotBePutBackAreDeadLettersAndTheOthersComeBack() {
        for (int n = 1; n <= 5; n++) {
            insert("key-" + n, Integer.toString(n));
        }
        database.execute("update outbox set status = 'SENDING', locked_by = 'gone', version = version + 1");
        Refusals.byTrigger(
                database, "outbox", "update", "new.status = 'PENDING' and new.aggregate_id = 'key-3'", "45000");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("1", "2", "4", "5");
        assertThat(database.one("select error_class || ' ' || aggregate_id from outbox_dead_letter"))
                .isEqualTo("database-error key-3");
    }

    /** Whoever takes a row takes part in every index, and one of them may not take its value. */
    @Test
    void aggregateIdThatIsTooLongForAnIndexIsInNobodysWay() {
        StringBuilder noise = new StringBuilder();
        new Random(7).ints(20_000, 'a', 'z').forEach(one -> noise.append((char) one));
        insert("good-1", "1");
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.a.b.v1', 'a', '" + noise + "', '2')");
        } catch (SQLException e) {
            // Its writer knows.
            assertThat(e.getMessage()).contains(server == TestServer.POSTGRES ? "index row" : "aggregate_id");
        }
        insert("good-2", "3");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(publisher.acceptedBodies()).contains("1", "3");
    }

    @Test
    void damagedRowIsADeadLetterAndItsNeighboursAreDelivered() {
        assumeTrue(server == TestServer.POSTGRES);
        String damaged = Refusals.ofDamagedRows(database);
        for (int n = 1; n <= 9; n++) {
            insert("key-" + n, Integer.toString(n));
        }
        database.execute("update outbox set created_at = " + damaged + " where id in (1, 4, 5)");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        start(publisher, DeadLetterSettings.Then.CONTINUE);

        await().until(() -> unsent() == 0);
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("2", "3", "6", "7", "8", "9");
        assertThat(database.column("select outbox_id from outbox_dead_letter order by 1"))
                .containsExactly("1", "4", "5");
        assertThat(database.column("select reason from outbox_dead_letter"))
                .allMatch(reason -> reason.contains("missing chunk"));
    }

    private static RecordingPublisher refusingTheBad() {
        return RecordingPublisher.answering(event -> event.payload().text().equals("\"bad\"")
                ? new PublishResult.Rejected("PoisonException", "poison", true)
                : new PublishResult.Accepted());
    }

    @Test
    void webhookThatHangsDelaysNothing() throws IOException {
        for (int n = 0; n < 500; n++) {
            insert("key-" + n, n % 5 == 0 ? "\"bad\"" : "\"good\"");
        }
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.start();
        try {
            RecordingPublisher publisher =
                    RecordingPublisher.answering(event -> event.payload().text().equals("\"bad\"")
                            ? new PublishResult.Rejected("bad", true)
                            : new PublishResult.Accepted());
            URI url = URI.create("http://localhost:" + server.getAddress().getPort() + "/hook");
            Relay relay = Relay.builder(database.dataSource(), publisher)
                    .settings(RelaySettings.builder()
                            .batchSize(50)
                            .pollInterval(Duration.ofMillis(50))
                            .build())
                    .alerts(
                            AlertRules.defaults(),
                            List.of(new WebhookChannel(url, WebhookFormat.DISCORD, Duration.ofMinutes(1), 10)))
                    .build();
            relays.add(relay);
            relay.start();

            await().until(() -> requests.get() > 0);
            await().until(() -> publisher.accepted().size() == 400 && deadLetters() == 100);
            assertThat(answer.getCount()).as("and the webhook has not answered").isEqualTo(1);
        } finally {
            answer.countDown();
            server.stop(0);
        }
    }

    @Test
    void outagesCountAsFailuresIfAskedFor() {
        insert("a", "1");
        Relay relay = Relay.builder(
                        database.dataSource(),
                        RecordingPublisher.answering(event -> new PublishResult.Unavailable("no broker")))
                .settings(RelaySettings.builder()
                        .retry(new Backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, 2))
                        .countOutages(true)
                        .build())
                .build();
        relays.add(relay);

        await().until(() -> {
            relay.runOnce();
            return status(1).equals("DEAD_LETTER");
        });
        assertThat(database.one("select attempts from outbox")).isEqualTo("3");
    }

    private void start(dev.postrider.publish.Publisher publisher, DeadLetterSettings.Then then) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(50))
                        .retry(new Backoff(Duration.ofMillis(100), 1, Duration.ofMillis(100), 0, 2))
                        .deadLetters(new DeadLetterSettings(then, file()))
                        .build())
                .listener(new RelayMetrics(meters, "outbox"))
                .alerts(AlertRules.defaults(), List.of((AlertChannel) alerts::add))
                .build();
        relays.add(relay);
        relay.start();
    }

    private Path file() {
        return directory.resolve("dead-letters.jsonl");
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> bodies(TestTopics topics, int count) {
        List<String> bodies = new ArrayList<>();
        for (ConsumerRecord<String, byte[]> record :
                topics.read("transfer-events", new ByteArrayDeserializer(), count)) {
            bodies.add(new String(record.value(), UTF_8));
        }
        return bodies;
    }

    private static OutboxEvent event(String json) {
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "account-7")
                .json(json)
                .build();
    }

    private void insert(String key, String body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.transfer.completed.v1', 'a', '" + key + "', '" + body + "')");
    }

    private String status(long id) {
        return database.one("select status from outbox where id = " + id);
    }

    private int deadLetters() {
        return Integer.parseInt(database.one("select count(*) from outbox_dead_letter"));
    }

    private int unsent() {
        return Integer.parseInt(
                database.one("select count(*) from outbox where status not in ('PUBLISHED', 'DEAD_LETTER')"));
    }
}
