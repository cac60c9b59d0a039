package dev.postrider.tests.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope.OfAggregate;
import dev.postrider.admin.RestoreReport;
import dev.postrider.admin.Retried;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.failure.DeadLetterSettings.Then;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What operators request of a log, its relays do. */
class OperatorRequestsTest {
    private static final DeadLetterSelection ALL = DeadLetterSelection.all();

    @TempDir
    private Path directory;

    private TestDatabase database;
    private LogTables log;
    private OutboxAdmin admin;
    private Path file;
    private final List<Relay> relays = new ArrayList<>();

    @BeforeEach
    void open() {
        database = TestDatabase.withOutbox(OutboxLayout.log(4));
        log = new LogTables(database);
        admin = OutboxAdmin.builder(database.dataSource()).build();
        file = directory.resolve("dead.jsonl");
    }

    @AfterEach
    void close() {
        relays.forEach(Relay::stop);
        database.close();
    }

    @Test
    void keyThatWasHeldIsDeliveredInOrderAfterARetry() {
        log.insert("a", "1 bad", "2", "3");
        buryWith(Then.HOLD_KEY, 1);
        log.insert("a", "4");

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(1, 0, 0, 0));

        assertThat(deliver(Then.HOLD_KEY, 4)).containsExactly("\"1 bad\"", "\"2\"", "\"3\"", "\"4\"");
    }

    @Test
    void severalDeadLettersOfAKeyGoOutInOrder() {
        log.insert("a", "1 bad", "2 bad", "3 bad");
        buryWith(Then.CONTINUE, 3);

        admin.retry(DeadLetterSelection.builder().key("a").build(), "me");

        assertThat(deliver(Then.CONTINUE, 3)).containsExactly("\"1 bad\"", "\"2 bad\"", "\"3 bad\"");
    }

    @Test
    void discardOpensTheKey() {
        log.insert("a", "1 bad", "2", "3");
        buryWith(Then.HOLD_KEY, 1);

        admin.discard(ALL, "me");

        assertThat(deliver(Then.HOLD_KEY, 2)).containsExactly("\"2\"", "\"3\"");
    }

    @Test
    void changedRowDiesAgainUnlessItsChangesAreAccepted() throws SQLException {
        write("good");
        database.execute("update outbox set payload = '\"changed\"'");
        buryWith(Then.CONTINUE, 1);
        assertThat(admin.list(ALL, 1).letters().get(0).errorClass()).isEqualTo("integrity");

        admin.retry(ALL, "me");
        assertThat(log.parked()).containsExactly("1|RETRY|\"changed\"");
        buryWith(Then.CONTINUE, 1);

        admin.retryAcceptingChanges(ALL, "me");
        assertThat(deliver(Then.CONTINUE, 1)).containsExactly("\"changed\"");
    }

    @Test
    void retryWakesARelayThatWouldSleep() {
        log.insert("a", "bad");
        buryWith(Then.CONTINUE, 1);
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = Relay.builder(database.dataSource(), healthy)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofHours(1))
                        .polling(RelaySettings.Polling.FIXED)
                        .build())
                .build();
        relays.add(relay);
        log.insert("b", "awake");
        relay.start();
        await().until(() -> healthy.accepted().size() == 1);

        admin.retry(ALL, "me");

        await().until(() -> healthy.accepted().size() == 2);
    }

    @ParameterizedTest
    @EnumSource(Then.class)
    void eventsOfTheFileAreDelivered(Then then) throws SQLException {
        database.execute("alter table outbox_dead_letter rename to hidden");
        write("1 bad");
        write("2 bad");
        Relay relay = relay(poisoned(), then);
        int dead = then == Then.HOLD_KEY ? 1 : 2;
        await().until(() -> {
            relay.runOnce();
            return Files.exists(file) && Files.readAllLines(file).size() == dead && allRead();
        });
        relay.stop();
        database.execute("alter table hidden rename to outbox_dead_letter");

        assertThat(admin.list(ALL, 10).total()).as("without letters").isEqualTo(dead);
        assertThat(admin.extent(ReplayRequest.of(new OfAggregate("order", "a"))).events())
                .as("not sent")
                .isZero();
        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(dead, 0, 0, List.of()));

        assertThat(deliver(then, 2)).containsExactly("\"1 bad\"", "\"2 bad\"");
        assertThat(admin.restore(file, "me")).isEqualTo(new RestoreReport(0, 0, dead, List.of()));
        assertThat(log.parked()).isEmpty();
    }

    @Test
    void whatARelayHasSentIsReplayed() {
        log.insert("a", "1", "2 bad", "3");
        buryWith(Then.CONTINUE, 1);
        log.insert("a", "not yet");

        RecordingPublisher again = RecordingPublisher.acceptingAll();
        admin.replay(ReplayRequest.of(new OfAggregate("order", "a")), again, () -> false, "me");

        assertThat(again.acceptedBodies()).containsExactly("\"1\"", "\"3\"");
    }

    // ---- the small language of this test

    /** Until so many are dead and everything is behind the cursors. */
    private void buryWith(Then then, int dead) {
        Relay relay = relay(poisoned(), then);
        await().until(() -> {
            relay.runOnce();
            return admin.count(ALL) == dead && allRead();
        });
        relay.stop();
    }

    private List<String> deliver(Then then, int accepted) {
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = relay(healthy, then);
        await().until(() -> {
            relay.runOnce();
            return healthy.accepted().size() >= accepted
                    && database.one("select count(*) from outbox_parked").equals("0");
        });
        relay.stop();
        return healthy.acceptedBodies();
    }

    private boolean allRead() {
        return database.one("select count(*) from outbox o where not exists (select 1 from outbox_cursor c"
                        + " where c.shard = (o.key_hash & 9223372036854775807) % 4"
                        + " and pg_visible_in_snapshot(o.tx_id, c.lo))")
                .equals("0");
    }

    private static RecordingPublisher poisoned() {
        return RecordingPublisher.answering(event -> event.payload().text().contains("bad")
                ? new PublishResult.Rejected("Poison", "it is bad", true)
                : new PublishResult.Accepted());
    }

    private Relay relay(RecordingPublisher publisher, Then then) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .deadLetters(new DeadLetterSettings(then, file))
                        .build())
                .build();
        relays.add(relay);
        return relay;
    }

    private void write(String body) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", "a")
                                    .json("\"" + body + "\"")
                                    .build());
            connection.commit();
        }
    }
}
