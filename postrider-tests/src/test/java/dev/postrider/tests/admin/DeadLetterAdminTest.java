package dev.postrider.tests.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ClosedKey;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.Retried;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What looking at dead letters shows, and what sending them again or discarding them does to the rows. */
@ParameterizedClass
@EnumSource
class DeadLetterAdminTest {
    private static final DeadLetterSelection ALL = DeadLetterSelection.all();

    private static TestDatabase database;

    private final List<Relay> relays = new ArrayList<>();
    private final OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();

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
    }

    @AfterEach
    void stopRelays() {
        relays.forEach(Relay::stop);
    }

    // ---- looking

    @Test
    void listShowsWhatDiedLastFirstAndCountsAll() {
        insert("a", "bad");
        insert("b", "bad");
        insert("c", "bad");
        buryEverything();
        database.execute("update outbox_dead_letter set died_at = now() - interval '1' hour where outbox_id = 3");

        DeadLetterPage page = admin.list(ALL, 2);

        assertThat(page.total()).isEqualTo(3);
        assertThat(page.letters()).extracting(DeadLetter::id).containsExactly(2L, 1L);
        DeadLetter letter = page.letters().get(0);
        assertThat(letter.aggregateType() + "/" + letter.aggregateId()).isEqualTo("order/b");
        assertThat(letter.errorClass()).isEqualTo("Poison");
        assertThat(letter.reason()).isEqualTo("it is bad");
        assertThat(letter.attempts()).isEqualTo(1);
        assertThat(letter.rowStatus()).isEqualTo(EventStatus.DEAD_LETTER);
        assertThat(admin.count(ALL)).isEqualTo(3);
        assertThat(admin.list(ALL, 1, 2).total()).isEqualTo(2);
        assertThat(admin.levels(2).deadLetters()).isEqualTo(2);
        assertThat(admin.levels(10).pending()).isZero();
    }

    /** A dead letter that lets the later events of its key pass closes nothing. */
    @Test
    void closedKeysAreThoseBehindAFailedEventOrADeadLetterThatHoldsThem() {
        insert("a", "bad", "good");
        insert("b", "bad");
        insert("c", "bad");
        buryEverything();
        database.execute("update outbox set holds_key = true where id = 1");
        database.execute("update outbox set status = 'FAILED', last_error = 'it waits' where id = 4");

        assertThat(admin.closedKeys(10))
                .extracting(ClosedKey::key, ClosedKey::behindId, ClosedKey::state)
                .containsExactly(
                        tuple("order/a", 1L, ClosedKey.State.DEAD_LETTER),
                        tuple("order/c", 4L, ClosedKey.State.WAITS_FOR_RETRY));
        assertThat(admin.closedKeys(1)).hasSize(1);
    }

    @Test
    void contentIsEverythingIncludingThePayload() throws SQLException {
        OutboxEvent event = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "42")
                .json("{ \"bad\" : 1.50 }")
                .header("tenant", "t-1")
                .requestId("r-1")
                .maxRetries(0)
                .build();
        write(event);
        buryEverything();

        DeadLetterContent content = admin.get(1).orElseThrow();

        assertThat(content.letter().eventId()).isEqualTo(event.id());
        assertThat(content.payload().text()).isEqualTo("{ \"bad\" : 1.50 }");
        assertThat(content.headers()).contains("tenant");
        assertThat(content.requestId()).isEqualTo("r-1");
        assertThat(content.maxRetries()).isZero();
        assertThat(content.contentHash()).isNotNull();
        assertThat(admin.get(99)).isEmpty();
    }

    static Stream<UnaryOperator<DeadLetterSelection.Builder>> conditionsOfTheSecond() {
        Instant halfAnHourAgo = Instant.now().minusSeconds(1800);
        return Stream.of(
                selection -> selection.ids(List.of(2L, 99L)),
                selection -> selection.eventIds(List.of(new UUID(0, 2))),
                selection -> selection.key("own-key"),
                selection -> selection.aggregate("customer", "7"),
                selection -> selection.type("acme.customer.moved.v1"),
                selection -> selection.errorClass("TooLarge"),
                selection -> selection.diedSince(halfAnHourAgo),
                selection -> selection.diedSince(halfAnHourAgo).type("acme.customer.moved.v1"));
    }

    @ParameterizedTest
    @MethodSource("conditionsOfTheSecond")
    void everyConditionSelects(UnaryOperator<DeadLetterSelection.Builder> condition) {
        threeDifferentLetters();
        DeadLetterSelection selection =
                condition.apply(DeadLetterSelection.builder()).build();

        assertThat(admin.list(selection, 10).letters())
                .extracting(DeadLetter::id)
                .containsExactly(2L);
        assertThat(admin.retry(selection, "me").sentAgain()).isEqualTo(1);
        assertThat(database.column("select status from outbox order by id"))
                .containsExactly("DEAD_LETTER", "PENDING", "DEAD_LETTER");
    }

    @Test
    void conditionsMustAllHold() {
        threeDifferentLetters();

        assertThat(admin.count(DeadLetterSelection.builder()
                        .type("acme.customer.moved.v1")
                        .errorClass("Poison")
                        .build()))
                .isZero();
        assertThat(admin.count(DeadLetterSelection.builder()
                        .key("1")
                        .errorClass("Poison")
                        .build()))
                .as("the key of a message without its own is the aggregate's id")
                .isEqualTo(1);
        Instant now = admin.databaseTime();
        assertThat(admin.count(DeadLetterSelection.builder()
                        .diedUntil(now.minus(Duration.ofMinutes(30)))
                        .build()))
                .isEqualTo(2);
    }

    @Test
    void emptySelectionIsRefused() {
        assertThatThrownBy(() -> DeadLetterSelection.builder().build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("No dead letter is selected");
    }

    // ---- sending again

    @Test
    void retryMakesRowsAsGoodAsNewUnderTheirIds() {
        insert("a", "bad");
        insert("b", "bad");
        buryEverything();
        database.execute("update outbox set abandoned = 5, holds_key = true where id = 1");
        int version = Integer.parseInt(database.one("select version from outbox where id = 1"));

        Retried retried = admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "ann@desk");

        assertThat(retried).isEqualTo(new Retried(1, 0, 0, 0));
        assertThat(
                        database.one(
                                "select concat_ws('|', status, attempts, abandoned, case when holds_key then 'held' end,"
                                        + " case when next_attempt_at is not null then 'by time' end, last_error, version) from outbox where id = 1"))
                .isEqualTo("PENDING|0|0|by time|it is bad|" + (version + 1));
        assertThat(database.column("select outbox_id from outbox_dead_letter")).containsExactly("2");
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "retry", "id 1", 1L));
    }

    @Test
    void keyThatWasHeldIsDeliveredInOrderAfterARetry() {
        insert("a", "1 bad");
        insert("a", "2", "3");
        relay(poisoned(), DeadLetterSettings.Then.HOLD_KEY).runOnce();
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = relay(healthy, DeadLetterSettings.Then.HOLD_KEY);
        insert("a", "4");
        relay.runOnce();
        assertThat(database.column("select status from outbox order by id"))
                .containsExactly("DEAD_LETTER", "HELD", "HELD", "HELD");

        admin.retry(ALL, "me");

        runUntil(relay, healthy, 4);
        assertThat(healthy.acceptedBodies()).containsExactly("\"1 bad\"", "\"2\"", "\"3\"", "\"4\"");
    }

    @Test
    void newEventsDoNotWaitUntilAllThatAreSentAgainAreThrough() {
        for (int n = 0; n < 30; n++) {
            insert("a" + n, "bad");
        }
        buryEverything();
        admin.retry(ALL, "me");
        insert("new", "1", "2");

        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = Relay.builder(database.dataSource(), healthy)
                .settings(RelaySettings.builder().batchSize(10).build())
                .build();
        relays.add(relay);
        relay.runOnce();

        assertThat(healthy.acceptedBodies()).contains("\"bad\"", "\"1\"", "\"2\"");
        runUntil(relay, healthy, 32);
    }

    @Test
    void severalDeadLettersOfAKeyGoOutInOrder() {
        insert("a", "1 bad", "2 bad", "3 bad");
        buryEverything();

        admin.retry(DeadLetterSelection.builder().key("a").build(), "me");

        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        runUntil(relay(healthy, DeadLetterSettings.Then.CONTINUE), healthy, 3);
        assertThat(healthy.acceptedBodies()).containsExactly("\"1 bad\"", "\"2 bad\"", "\"3 bad\"");
    }

    @Test
    void retryWakesARelayThatWouldSleep() {
        assumeTrue(server == TestServer.POSTGRES, "there are no notifications elsewhere");
        insert("a", "bad");
        buryEverything();
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = Relay.builder(database.dataSource(), healthy)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofHours(1))
                        .polling(RelaySettings.Polling.FIXED)
                        .build())
                .build();
        relays.add(relay);
        insert("b", "awake");
        relay.start();
        await().until(() -> healthy.accepted().size() == 1);

        admin.retry(ALL, "me");

        await().until(() -> healthy.accepted().size() == 2);
    }

    @Test
    void eventWhoseRowIsGoneIsWrittenAgainAsItWas() throws SQLException {
        OutboxEvent event = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "a")
                .json("{ \"bad\" : 1.50 }")
                .header("tenant", "t-1")
                .requestId("r-1")
                .build();
        write(event);
        buryEverything();
        String before = database.one("select concat_ws('|', created_at, occurred_at, content_hash) from outbox");
        database.execute("delete from outbox");

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 1, 0, 0));

        assertThat(database.one("select concat_ws('|', created_at, occurred_at, content_hash) from outbox"))
                .isEqualTo(before);
        assertThat(admin.count(ALL)).isZero();
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        runUntil(relay(healthy, DeadLetterSettings.Then.CONTINUE), healthy, 1);
        assertThat(healthy.acceptedBodies()).containsExactly("{ \"bad\" : 1.50 }");
        assertThat(healthy.accepted().get(0).id()).isEqualTo(event.id());
        assertThat(healthy.accepted().get(0).headers()).containsEntry("tenant", "t-1");
        assertThat(healthy.accepted().get(0).requestId()).isEqualTo("r-1");
    }

    @Test
    void eventsWhoseRowsAreGoneAreWrittenAgainInTheirOrder() {
        insert("a", "1 bad", "2 bad", "3 bad", "4 bad", "5 bad");
        buryEverything();
        // Their event ids, by which they are told apart, are in the opposite order.
        database.execute("delete from outbox");
        server.nextId(database, 1);
        for (int id = 1; id <= 5; id++) {
            database.execute(
                    "update outbox_dead_letter set event_id = '" + new UUID(0, 100 - id) + "' where outbox_id = " + id);
        }
        insert("b", "has the id of another");

        assertThat(admin.retry(ALL, "me").inserted()).isEqualTo(5);

        assertThat(database.column("select payload from outbox where aggregate_id = 'a' order by id"))
                .containsExactly("\"1 bad\"", "\"2 bad\"", "\"3 bad\"", "\"4 bad\"", "\"5 bad\"");
    }

    @Test
    void eventThatWasWrittenAgainBeforeIsNotWrittenTwice() {
        insert("a", "bad");
        buryEverything();
        database.execute("create table copy as select * from outbox_dead_letter");
        database.execute("delete from outbox");
        server.nextId(database, 51);
        admin.retry(ALL, "me");
        database.execute("insert into outbox_dead_letter select * from copy");
        database.execute("drop table copy");

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 1, 0));

        assertThat(database.column("select id || status from outbox")).containsExactly("51PENDING");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void letterOfAnEventThatIsNotDeadAnyMoreIsOnlyRemoved() {
        insert("a", "bad");
        buryEverything();
        database.execute("update outbox set status = 'PUBLISHED'");

        assertThat(admin.list(ALL, 1).letters().get(0).rowStatus()).isEqualTo(EventStatus.PUBLISHED);
        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 1, 0));

        assertThat(database.column("select status from outbox")).containsExactly("PUBLISHED");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void deadRowWithoutALetterIsAsGoodAsOneWithIt() {
        insert("a", "bad");
        insert("b", "bad");
        buryEverything();
        database.execute("delete from outbox_dead_letter");

        assertThat(admin.list(ALL, 10).letters())
                .extracting(DeadLetter::errorClass, DeadLetter::reason)
                .containsOnly(tuple(DeadLetter.NO_LETTER, "it is bad"));
        assertThat(admin.get(1)).isPresent();
        assertThat(admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "me").back())
                .isEqualTo(1);
        assertThat(admin.discard(ALL, "me").discarded()).isEqualTo(1);
        assertThat(database.column("select id || status from outbox")).containsExactly("1PENDING");
    }

    @Test
    void letterIsKeptIfAnotherEventHasItsRequestId() throws SQLException {
        write(event("bad", "r-1"));
        buryEverything();
        database.execute("delete from outbox");
        write(event("good", "r-1"));

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 0, 1));

        assertThat(database.column("select payload from outbox")).containsExactly("\"good\"");
        assertThat(admin.count(ALL)).isEqualTo(1);
    }

    @Test
    void changedRowDiesAgainUnlessItsChangesAreAccepted() throws SQLException {
        write(event("good", "r-1"));
        database.execute("update outbox set payload = '\"changed\"'");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = relay(publisher, DeadLetterSettings.Then.CONTINUE);
        relay.runOnce();
        assertThat(admin.list(ALL, 1).letters().get(0).errorClass()).isEqualTo("integrity");

        admin.retry(ALL, "me");
        relay.runOnce();
        assertThat(admin.count(ALL)).isEqualTo(1);
        assertThat(publisher.accepted()).isEmpty();

        admin.retryAcceptingChanges(ALL, "me");
        relay.runOnce();
        assertThat(publisher.acceptedBodies()).containsExactly("\"changed\"");
        assertThat(admin.audit(1).get(0).selector()).isEqualTo("all; changes accepted");
    }

    @Test
    void changesOfAnEventWithAKeyedHashAreAcceptedByTheHolderOfTheKey() throws SQLException {
        byte[] key = "sixteen bytes and more".getBytes(UTF_8);
        try (Connection connection = database.transaction()) {
            Outbox.builder().integrityKey(key).build().write(connection, event("good", "r-1"));
            connection.commit();
        }
        database.execute("update outbox set payload = '\"changed\"'");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .integrityKey(key)
                .build();
        relays.add(relay);
        relay.runOnce();

        assertThatThrownBy(() -> admin.retryAcceptingChanges(ALL, "me"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("integrity key");
        assertThat(database.one("select status from outbox")).isEqualTo("DEAD_LETTER");
        assertThat(admin.audit(10)).isEmpty();

        OutboxAdmin holder =
                OutboxAdmin.builder(database.dataSource()).integrityKey(key).build();
        holder.retryAcceptingChanges(ALL, "me");
        relay.runOnce();
        assertThat(publisher.acceptedBodies()).containsExactly("\"changed\"");
    }

    @Test
    void operatorsAtTheSameTimeSendNothingTwice() {
        for (int n = 0; n < 50; n++) {
            insert("key-" + n, "bad");
        }
        buryEverything();
        database.execute("delete from outbox where id % 2 = 0");

        List<CompletableFuture<Retried>> all = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> admin.retry(ALL, "me")))
                .limit(4)
                .toList();

        assertThat(all.stream().mapToLong(one -> one.join().sentAgain()).sum()).isEqualTo(50);
        assertThat(database.one("select count(*) || '/' || count(distinct event_id) from outbox"))
                .isEqualTo("50/50");
        assertThat(admin.audit(10).stream().mapToLong(AuditEntry::affected).sum())
                .isEqualTo(50);
    }

    @Test
    void letterThatARelayIsJustRenewingIsNotTakenForALeftover() throws SQLException {
        insert("a", "bad");
        buryEverything();
        database.execute("update outbox set status = 'SENDING'");
        try (Connection relay = database.transaction()) {
            // As a relay that buries the event once more: the row, then the letter, then the commit.
            relay.createStatement().execute("update outbox set status = 'DEAD_LETTER' where id = 1");
            relay.createStatement().execute("update outbox_dead_letter set died_at = now()");
            CompletableFuture<Retried> retried = CompletableFuture.supplyAsync(() -> admin.retry(ALL, "me"));
            await().until(() -> server.waiting(database) > 0);
            relay.commit();

            assertThat(retried.join()).isEqualTo(new Retried(1, 0, 0, 0));
        }
    }

    // ---- discarding

    @Test
    void discardDeletesLetterAndRowAndOpensTheKey() {
        insert("a", "1 bad");
        insert("a", "2", "3");
        relay(poisoned(), DeadLetterSettings.Then.HOLD_KEY).runOnce();
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        Relay relay = relay(healthy, DeadLetterSettings.Then.HOLD_KEY);
        relay.runOnce();
        assertThat(healthy.accepted()).isEmpty();

        Discarded discarded = admin.discard(ALL, "ann@desk");

        assertThat(discarded).isEqualTo(new Discarded(1, 0));
        runUntil(relay, healthy, 2);
        assertThat(healthy.acceptedBodies()).containsExactly("\"2\"", "\"3\"");
        assertThat(database.column("select id from outbox order by id")).containsExactly("2", "3");
        assertThat(admin.count(ALL)).isZero();
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "discard", "all", 1L));
    }

    @Test
    void discardLeavesAloneWhatIsNotDeadAnyMore() {
        insert("a", "bad");
        insert("b", "bad");
        buryEverything();
        database.execute("update outbox set status = 'PUBLISHED' where id = 1");

        assertThat(admin.discard(ALL, "me")).isEqualTo(new Discarded(1, 1));

        assertThat(database.column("select id || status from outbox")).containsExactly("1PUBLISHED");
    }

    @Test
    void nothingIsDoneInNobodysName() {
        assertThatThrownBy(() -> admin.discard(ALL, " ")).hasMessageContaining("actor");
    }

    // ---- the small language of this test

    private void threeDifferentLetters() {
        insert("1", "bad");
        database.execute("insert into outbox (event_id, event_type, aggregate_type, aggregate_id, event_key, payload)"
                + " values ('" + new UUID(0, 2) + "', 'acme.customer.moved.v1', 'customer', '7', 'own-key',"
                + " '\"large bad\"')");
        insert("3", "bad");
        buryEverything();
        database.execute("update outbox_dead_letter set died_at = now() - interval '1' hour where outbox_id <> 2");
    }

    private void buryEverything() {
        Relay relay = relay(poisoned(), DeadLetterSettings.Then.CONTINUE);
        await().until(() -> {
            relay.runOnce();
            return database.one("select count(*) from outbox where status in ('PENDING', 'SENDING', 'HELD')")
                    .equals("0");
        });
    }

    private static RecordingPublisher poisoned() {
        return RecordingPublisher.answering(event -> {
            String body = event.payload().text();
            if (body.contains("large")) {
                return new PublishResult.Rejected("TooLarge", "it is large", true);
            }
            return body.contains("bad")
                    ? new PublishResult.Rejected("Poison", "it is bad", true)
                    : new PublishResult.Accepted();
        });
    }

    private Relay relay(RecordingPublisher publisher, DeadLetterSettings.Then then) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .deadLetters(new DeadLetterSettings(then, Path.of("never-written.jsonl")))
                        .build())
                .build();
        relays.add(relay);
        return relay;
    }

    private static void runUntil(Relay relay, RecordingPublisher publisher, int accepted) {
        await().until(() -> {
            relay.runOnce();
            return publisher.accepted().size() == accepted;
        });
    }

    private static OutboxEvent event(String body, String requestId) {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "a")
                .json("\"" + body + "\"")
                .requestId(requestId)
                .build();
    }

    private static void write(OutboxEvent event) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder().build().write(connection, event);
            connection.commit();
        }
    }

    private static void insert(String id, String... bodies) {
        for (String body : bodies) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '" + id + "', '\"" + body + "\"')");
        }
    }
}
