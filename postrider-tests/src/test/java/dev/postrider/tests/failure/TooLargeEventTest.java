package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.RestoreReport;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.failure.DeadLetterSettings.Then;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of an event that is larger than the relay's limit, which here is small. */
@ParameterizedClass
@EnumSource
class TooLargeEventTest {
    enum Kind {
        LOG,
        CLAIM,
        MARIADB
    }

    private static final int LIMIT = 1_000;

    @Parameter
    private Kind kind;

    @TempDir
    private Path directory;

    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();
    private final List<Relay> relays = new ArrayList<>();
    private TestDatabase database;
    private OutboxAdmin admin;

    @BeforeEach
    void open() {
        database = switch (kind) {
            case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
            case CLAIM -> TestDatabase.withOutbox(OutboxLayout.claim());
            case MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
        };
        admin = OutboxAdmin.builder(database.dataSource()).maxEventBytes(LIMIT).build();
    }

    @AfterEach
    void close() {
        relays.forEach(Relay::stop);
        database.close();
    }

    @Test
    void headersAndNamesCount() {
        insert("a", "1", "'{\"note\": \"" + "x".repeat(LIMIT) + "\"}'", "null");
        insert("a", "2", "null", "'" + "k".repeat(LIMIT) + "'");
        insert("a", "3", "null", "null");

        start(LIMIT);

        await().until(() ->
                deadLetters().size() == 2 && publisher.acceptedBodies().size() == 1);
        assertThat(deadLetters()).containsExactly("1 too-large", "2 too-large");
        assertThat(publisher.acceptedBodies()).containsExactly("3");
    }

    @Test
    void itsDeadLetterIsShownWithoutThePayload() {
        insertLarge("a", "1");
        start(LIMIT);
        await().until(() -> deadLetters().size() == 1);

        DeadLetterContent content = admin.get(1).orElseThrow();

        assertThat(content.payload()).isNull();
        assertThat(content.size()).isGreaterThan(5_000);
        assertThat(OutboxAdmin.builder(database.dataSource())
                        .build()
                        .get(1)
                        .orElseThrow()
                        .payload()
                        .text())
                .startsWith("1 ");
    }

    @Test
    void sentAgainItDiesAgainUnderTheSameLimitAndIsDeliveredUnderAHigherOne() {
        insertLarge("a", "1");
        Relay strict = start(LIMIT);
        await().until(() -> deadLetters().size() == 1);
        String died = database.one("select died_at from outbox_dead_letter");

        assertThat(admin.retry(DeadLetterSelection.all(), "test").sentAgain()).isEqualTo(1);
        await().until(() -> deadLetters().size() == 1
                && !database.one("select died_at from outbox_dead_letter").equals(died));
        strict.stop();
        assertThat(publisher.acceptedBodies()).isEmpty();

        assertThat(admin.retry(DeadLetterSelection.all(), "test").sentAgain()).isEqualTo(1);
        start(100 * LIMIT);

        await().until(() -> publisher.acceptedBodies().size() == 1);
        await().until(() -> deadLetters().isEmpty());
    }

    @Test
    void laterEventsOfItsKeyWaitIfDeadLettersHoldTheirKeys() {
        insert("a", "1", "null", "null");
        insertLarge("a", "2");
        insert("a", "3", "null", "null");
        insert("b", "4", "null", "null");

        start(LIMIT, Then.HOLD_KEY);

        await().until(() ->
                deadLetters().size() == 1 && publisher.acceptedBodies().size() >= 2);
        insert("b", "5", "null", "null");
        await().until(() -> publisher.acceptedBodies().contains("5"));
        assertThat(publisher.acceptedBodies()).containsExactlyInAnyOrder("1", "4", "5");
        admin.discard(DeadLetterSelection.all(), "test");
        await().until(() -> publisher.acceptedBodies().contains("3"));
    }

    @Test
    void withoutItsTableTheFileHasItsIdAndRetentionSparesItsRowUntilItIsRestored() throws Exception {
        insert("a", "1", "null", "null");
        insertLarge("a", "2");
        insert("a", "3", "null", "null");
        database.execute("alter table outbox_dead_letter rename to elsewhere");
        Relay strict = start(LIMIT);
        await().until(() -> Files.exists(file()) && publisher.acceptedBodies().size() == 2);
        await().until(() -> unrecorded() == 0);
        strict.stop();

        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
        assertThat(Files.readAllLines(file()))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .hasSizeLessThan(2_000)
                        .contains("\"id\":2", "\"event_id\":\"", "max-event-bytes is " + LIMIT));

        database.execute("alter table elsewhere rename to outbox_dead_letter");
        deleteOldEvents();
        assertThat(database.column("select id from outbox")).containsExactly("2");

        RestoreReport report = admin.restore(file(), "test");
        start(100 * LIMIT);

        assertThat(report.problems()).isEmpty();
        assertThat(report.back()).isEqualTo(1);
        await().until(() -> publisher.acceptedBodies().size() == 3);
        assertThat(publisher.acceptedBodies().get(2)).startsWith("2 ");
    }

    @Test
    void lineWithoutThePayloadIsReportedIfTheRowIsGone() throws Exception {
        insertLarge("a", "1");
        database.execute("alter table outbox_dead_letter rename to elsewhere");
        Relay strict = start(LIMIT);
        await().until(() -> Files.exists(file()));
        await().until(() -> unrecorded() == 0);
        strict.stop();
        database.execute("alter table elsewhere rename to outbox_dead_letter");
        database.execute("delete from outbox");

        RestoreReport report = admin.restore(file(), "test");

        assertThat(report.restored()).isZero();
        assertThat(report.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.what()).contains("no payload", "its row is gone"));
    }

    @Test
    void withoutTableAndFileTheAlertHasItsId() {
        Map<Long, String> unsaved = new ConcurrentHashMap<>();
        insertLarge("a", "1");
        database.execute("alter table outbox_dead_letter rename to elsewhere");
        RelaySettings.Builder settings = settings(LIMIT, Then.CONTINUE);
        settings.deadLetters(new DeadLetterSettings(Then.CONTINUE, directory));
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(settings.build())
                .listener(new RelayListener() {
                    @Override
                    public void deadLetterUnsaved(long id, String row) {
                        unsaved.put(id, row);
                    }
                })
                .build();
        relays.add(relay);
        relay.start();

        await().until(() -> unsaved.size() == 1);
        assertThat(unsaved.get(1L)).hasSizeLessThan(2_000).contains("\"id\":1");
    }

    private Relay start(int limit) {
        return start(limit, Then.CONTINUE);
    }

    private Relay start(int limit, Then then) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(settings(limit, then).build())
                .build();
        relays.add(relay);
        relay.start();
        return relay;
    }

    private RelaySettings.Builder settings(int limit, Then then) {
        return RelaySettings.builder()
                .name("relay")
                .pollInterval(Duration.ofMillis(20))
                .leaseLength(Duration.ofMinutes(1))
                .maxEventBytes(limit)
                .deadLetters(new DeadLetterSettings(then, file()));
    }

    private void deleteOldEvents() throws SQLException {
        LogStore log = kind == Kind.LOG
                ? Databases.of(DatabaseFamily.POSTGRESQL)
                        .logStore(OutboxTable.DEFAULT, OutboxLayout.log(2), ContentHash.sha256())
                : null;
        OutboxStore store;
        try (Connection connection = database.dataSource().getConnection()) {
            store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        }
        HousekeepingSettings settings = HousekeepingSettings.builder()
                .retention(Retention.ofPublished(Duration.ofMillis(1)))
                .build();
        try (Housekeeper housekeeper = new Housekeeper("keeper", database.dataSource(), store, log, settings, null)) {
            assertThat(housekeeper.runOnce().deleted()).isEqualTo(2);
        }
    }

    private Path file() {
        return directory.resolve("dead.jsonl");
    }

    private void insertLarge(String key, String body) {
        insert(key, body + " ".repeat(5 * LIMIT), "null", "null");
    }

    private void insert(String key, String body, String headers, String eventKey) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, headers, event_key)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "', " + headers + ", " + eventKey + ")");
    }

    private List<String> deadLetters() {
        return database.column("select outbox_id || ' ' || error_class from outbox_dead_letter order by outbox_id");
    }

    /** Deaths and deliveries that are known and not yet in the database. */
    private int unrecorded() {
        return kind == Kind.LOG
                ? 1 - Integer.parseInt(database.one("select count(*) from outbox_parked where state = 'DEAD'"))
                : Integer.parseInt(
                        database.one("select count(*) from outbox where status not in ('PUBLISHED', 'DEAD_LETTER')"));
    }
}
