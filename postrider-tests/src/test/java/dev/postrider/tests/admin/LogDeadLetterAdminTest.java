package dev.postrider.tests.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ClosedKey;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.OutboxLevels;
import dev.postrider.admin.Retried;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

/**
 * What looking at the dead letters of a log shows, and which requests operators leave for the owners of its shards.
 * The tables are as relays leave them; see {@link LogTables}.
 */
class LogDeadLetterAdminTest {
    private static final DeadLetterSelection ALL = DeadLetterSelection.all();
    private static final String ENVELOPE =
            "concat_ws('|', event_id, event_type, aggregate_type, aggregate_id, event_key,"
                    + " source, payload::text, payload_binary, content_type, headers::text, request_id, content_hash,"
                    + " occurred_at, created_at, max_retries)";

    private static TestDatabase database;
    private static LogTables log;

    private final OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(OutboxLayout.log(4));
        log = new LogTables(database);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        log.clear();
    }

    // ---- looking

    @Test
    void listShowsWhatDiedLastFirstAndCountsAll() {
        log.insert("a", "1");
        log.insert("b", "2");
        log.insert("c", "3");
        log.bury(1);
        log.buryAndHold(2);
        log.bury(3);
        database.execute("update outbox_dead_letter set died_at = now() - interval '1 hour' where outbox_id = 3");

        DeadLetterPage page = admin.list(ALL, 2);

        assertThat(page.total()).isEqualTo(3);
        assertThat(page.letters())
                .extracting(
                        DeadLetter::id,
                        DeadLetter::aggregateId,
                        DeadLetter::errorClass,
                        DeadLetter::reason,
                        DeadLetter::rowStatus)
                .containsExactly(
                        tuple(2L, "b", "Poison", "it is bad", EventStatus.DEAD_LETTER),
                        tuple(1L, "a", "Poison", "it is bad", EventStatus.DEAD_LETTER));
        assertThat(admin.count(ALL)).isEqualTo(3);
        assertThat(admin.list(ALL, 1, 2).total()).isEqualTo(2);
        assertThat(admin.closedKeys(10))
                .extracting(ClosedKey::key, ClosedKey::behindId, ClosedKey::state)
                .containsExactly(tuple("order/b", 2L, ClosedKey.State.DEAD_LETTER));
    }

    @Test
    void levelsAreCountedUpToTheirCap() {
        log.insert("a", "1", "2", "3");
        log.bury(1);
        log.bury(2);

        OutboxLevels levels = admin.levels(2);
        assertThat(levels.pending()).isEqualTo(2);
        assertThat(levels.deadLetters()).isEqualTo(2);
        assertThat(admin.levels(1).deadLetters()).isEqualTo(1);
        assertThat(levels.pause()).isNull();
        admin.pause("me", "to look");
        assertThat(admin.levels(2).pause()).isNotNull();
        admin.resume("me");
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
        log.bury(1);

        DeadLetterContent content = admin.get(1).orElseThrow();

        assertThat(content.letter().eventId()).isEqualTo(event.id());
        assertThat(content.letter().rowStatus()).isEqualTo(EventStatus.DEAD_LETTER);
        assertThat(content.payload().text()).isEqualTo("{ \"bad\" : 1.50 }");
        assertThat(content.headers()).contains("tenant");
        assertThat(content.requestId()).isEqualTo("r-1");
        assertThat(content.maxRetries()).isZero();
        assertThat(admin.get(99)).isEmpty();

        database.execute("delete from outbox");
        assertThat(admin.get(1).orElseThrow().letter().rowStatus()).isNull();
    }

    static Stream<UnaryOperator<DeadLetterSelection.Builder>> conditionsOfTheSecond() {
        Instant halfAnHourAgo =
                Instant.parse(database.one("select to_char((now() - interval '30 minutes') at time zone 'UTC',"
                        + " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"));
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
        log.insert("1", "bad");
        database.execute("insert into outbox (event_id, event_type, aggregate_type, aggregate_id, event_key, payload)"
                + " values ('" + new UUID(0, 2)
                + "', 'acme.customer.moved.v1', 'customer', '7', 'own-key', '\"large\"')");
        log.insert("3", "bad");
        log.bury(1);
        log.bury(2, "TooLarge", "it is large");
        log.hold(3, true);
        database.execute("update outbox_dead_letter set died_at = now() - interval '1 hour' where outbox_id <> 2;"
                + " update outbox_parked set parked_at = now() - interval '1 hour'");
        DeadLetterSelection selection =
                condition.apply(DeadLetterSelection.builder()).build();

        assertThat(admin.list(selection, 10).letters())
                .extracting(DeadLetter::id)
                .containsExactly(2L);
        assertThat(admin.retry(selection, "me").sentAgain()).isEqualTo(1);
        assertThat(log.parked()).containsExactly("2|RETRY|\"large\"", "3|DEAD|holds");
    }

    @Test
    void deadEventWithoutALetterIsListedFromBesideTheLogOrFromItsRow() {
        log.insert("a", "1");
        log.insert("b", "2");
        log.insert("c", "3");
        log.hold(1, true);
        log.fail(2);
        log.hold(2, false);
        log.fail(3);
        database.execute("delete from outbox where id = 2");

        assertThat(admin.list(ALL, 10).letters())
                .extracting(
                        DeadLetter::id,
                        DeadLetter::aggregateId,
                        DeadLetter::errorClass,
                        DeadLetter::reason,
                        DeadLetter::attempts,
                        DeadLetter::rowStatus)
                .containsExactlyInAnyOrder(
                        tuple(1L, "a", DeadLetter.NO_LETTER, "it is bad", 1, EventStatus.DEAD_LETTER),
                        tuple(2L, "b", DeadLetter.NO_LETTER, "it is bad", 4, EventStatus.DEAD_LETTER));
        assertThat(admin.get(1).orElseThrow().payload().text()).isEqualTo("\"1\"");
        assertThat(admin.get(2).orElseThrow().payload().text()).isEqualTo("\"2\"");
        assertThat(admin.get(3)).isEmpty();
    }

    // ---- sending again

    @Test
    void retryIsARequestWithEverythingTheLetterHas() throws SQLException {
        write(OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "a")
                .key("k")
                .source("shop")
                .json("{ \"bad\" : 1.50 }")
                .header("tenant", "t-1")
                .requestId("r-1")
                .maxRetries(3)
                .build());
        log.insert("b", "2");
        log.bury(1);
        log.bury(2);
        String envelope = database.one("select " + ENVELOPE + " from outbox where id = 1");

        Retried retried = admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "ann@desk");

        assertThat(retried).isEqualTo(new Retried(1, 0, 0, 0));
        assertThat(database.one("select " + ENVELOPE + " from outbox_parked")).isEqualTo(envelope);
        assertThat(database.one("select concat_ws('|', f.state, f.holds, f.batch, f.attempts, f.abandoned,"
                        + " f.next_attempt_at is null, f.key_hash = o.key_hash,"
                        + " f.shard = (o.key_hash & 9223372036854775807) % 4, f.last_error)"
                        + " from outbox_parked f join outbox o on o.id = f.outbox_id"))
                .isEqualTo("RETRY|f|0|0|0|t|t|t|it is bad");
        assertThat(database.column("select outbox_id from outbox_dead_letter")).containsExactly("2");
        assertThat(database.column("select id || status from outbox order by id"))
                .containsExactly("1LOG", "2LOG");
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "retry", "id 1", 1L));
    }

    @Test
    void requestBelongsToTheBatchInWhichItsEventDied() {
        log.insert("a", "1");
        log.bury(1);
        database.execute("update outbox_dead_letter set batch = 12");

        admin.retry(ALL, "me");

        assertThat(database.one("select batch from outbox_parked")).isEqualTo("12");
    }

    @Test
    void shardsOfRequestsAreThoseOfTheirRows() {
        for (int n = 1; n <= 20; n++) {
            log.insert("key-" + n, "bad");
            log.bury(n);
        }

        assertThat(admin.retry(ALL, "me").back()).isEqualTo(20);

        assertThat(database.one("select count(*) || '/' || count(distinct f.shard) from outbox_parked f"
                        + " join outbox o on o.id = f.outbox_id and f.key_hash = o.key_hash"
                        + " and f.shard = (o.key_hash & 9223372036854775807) % 4"))
                .isEqualTo("20/4");
    }

    @Test
    void deadLetterThatHoldsItsKeyGoesOnHoldingIt() {
        log.insert("a", "1", "2");
        log.buryAndHold(1);
        String place = "select concat_ws('|', shard, key_hash, batch, holds) from outbox_parked";
        String before = database.one(place);

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(1, 0, 0, 0));

        assertThat(log.parked()).containsExactly("1|RETRY|holds|\"1\"");
        assertThat(database.one(place)).isEqualTo(before);
        assertThat(database.one("select " + ENVELOPE + " from outbox_parked"))
                .isEqualTo(database.one("select " + ENVELOPE + " from outbox where id = 1"));
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void deadEventWithoutALetterIsAsGoodAsOneWithIt() {
        log.insert("a", "1");
        log.insert("b", "2");
        log.insert("c", "3");
        log.hold(1, true);
        log.hold(2, false);
        log.fail(3);
        log.hold(3, true);
        database.execute("delete from outbox where id = 3");

        assertThat(admin.retry(DeadLetterSelection.ofIds(List.of(1L, 3L)), "me"))
                .isEqualTo(new Retried(2, 0, 0, 0));
        assertThat(admin.discard(ALL, "me")).isEqualTo(new Discarded(1, 0));

        assertThat(log.parked()).containsExactly("1|RETRY|holds|\"1\"", "2|DISCARD|\"2\"", "3|RETRY|holds|\"3\"");
        assertThat(database.one("select count(*) from outbox_audit where action = 'handled'"))
                .as("so that a restore does not bring them a second time")
                .isEqualTo("3");
    }

    @Test
    void letterOfAnEventThatIsNotDeadAnyMoreIsOnlyRemoved() {
        log.insert("a", "1");
        log.bury(1);
        log.fail(1);

        assertThat(admin.list(ALL, 1).letters().get(0).rowStatus()).isEqualTo(EventStatus.FAILED);
        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 1, 0));

        assertThat(log.parked()).containsExactly("1|FAILED|holds|\"1\"");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void requestThatWasMadeBeforeIsNotMadeTwice() {
        log.insert("a", "1");
        log.insert("b", "2");
        log.buryAndHold(1);
        log.buryAndHold(2);
        admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "me");
        admin.discard(DeadLetterSelection.ofIds(List.of(2L)), "me");

        assertThat(admin.count(ALL)).isZero();
        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 0, 0));
        assertThat(admin.discard(ALL, "me")).isEqualTo(new Discarded(0, 0));

        assertThat(log.parked()).containsExactly("1|RETRY|holds|\"1\"", "2|DISCARD|holds|\"2\"");
    }

    @Test
    void eventWhoseRowIsGoneIsSentFromItsLetter() {
        log.insert("a", "1", "2");
        log.bury(1);
        database.execute("delete from outbox where id = 1");

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(1, 0, 0, 0));

        assertThat(log.parked()).containsExactly("1|RETRY|\"1\"");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void eventsWhoseIdsAreGivenOutAgainAreWrittenAgainInTheirOrder() {
        log.insert("a", "1", "2", "3", "4", "5");
        List.of(1, 2, 3, 4, 5).forEach(log::bury);
        // Their event ids, by which they are told apart, are in the opposite order.
        database.execute("truncate outbox restart identity;"
                + " update outbox_dead_letter set event_id = lpad((100 - outbox_id)::text, 32, '0')::uuid");
        log.insert("b", "has the id of another", "and so has this");
        log.fail(2);

        assertThat(admin.list(ALL, 10).letters())
                .extracting(DeadLetter::rowStatus)
                .containsOnlyNulls();
        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 5, 0, 0));

        assertThat(database.column("select payload from outbox where aggregate_id = 'a' order by id"))
                .containsExactly("\"1\"", "\"2\"", "\"3\"", "\"4\"", "\"5\"");
        assertThat(database.column("select distinct status from outbox")).containsExactly("LOG");
        assertThat(log.parked()).containsExactly("2|FAILED|holds|\"and so has this\"");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void eventThatWasWrittenAgainBeforeIsNotWrittenTwice() {
        log.insert("a", "1");
        log.bury(1);
        database.execute("create table copy as select * from outbox_dead_letter");
        database.execute("truncate outbox restart identity");
        log.insert("b", "has the id of another");
        assertThat(admin.retry(ALL, "me").inserted()).isEqualTo(1);
        database.execute("insert into outbox_dead_letter select * from copy; drop table copy");

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 1, 0));

        assertThat(database.column("select aggregate_id from outbox order by id"))
                .containsExactly("b", "a");
        assertThat(log.parked()).isEmpty();
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void letterIsKeptIfAnotherEventHasItsRequestId() throws SQLException {
        write(event("bad", "r-1"));
        log.insert("b", "keeps the id from being given out again");
        log.bury(1);
        database.execute("delete from outbox where id = 1");
        write(event("good", "r-1"));

        assertThat(admin.retry(ALL, "me")).isEqualTo(new Retried(0, 0, 0, 1));

        assertThat(log.parked()).isEmpty();
        assertThat(admin.count(ALL)).isEqualTo(1);
    }

    @Test
    void changedEventIsSentAsItsRowIsNow() throws SQLException {
        write(event("good", "r-1"));
        write(event("better", "r-2"));
        database.execute("update outbox set payload = '\"changed\"'");
        log.bury(1, "integrity", "it was changed");
        log.bury(2, "integrity", "it was changed");
        log.hold(2, true);
        database.execute("update outbox set payload = '\"changed again\"'");

        admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "me");
        admin.retryAcceptingChanges(DeadLetterSelection.ofIds(List.of(2L)), "me");

        assertThat(log.parked())
                .as("a row that was repaired would be fine without accepting anything")
                .containsExactly("1|RETRY|\"changed again\"", "2|RETRY|holds|\"changed again\"");
        assertThat(hashMatches(1)).isFalse();
        assertThat(hashMatches(2)).isTrue();
        assertThat(database.one("select content_hash = (select content_hash from outbox_parked where outbox_id = 2)"
                        + " from outbox where id = 2"))
                .as("rows of a log stay as they are")
                .isEqualTo("f");
        assertThat(admin.audit(1).get(0).selector()).isEqualTo("id 2; changes accepted");
    }

    @Test
    void changedEventWhoseRowIsGoneIsSentAsItsLetterHasIt() throws SQLException {
        write(event("good", "r-1"));
        log.insert("b", "keeps the id from being given out again");
        database.execute("update outbox set payload = '\"changed\"' where id = 1");
        log.bury(1, "integrity", "it was changed");
        database.execute("delete from outbox where id = 1");

        admin.retryAcceptingChanges(ALL, "me");

        assertThat(log.parked()).containsExactly("1|RETRY|\"changed\"");
        assertThat(hashMatches(1)).isTrue();
    }

    @Test
    void changesOfAnEventWithAKeyedHashAreAcceptedByTheHolderOfTheKey() throws SQLException {
        byte[] key = "sixteen bytes and more".getBytes(UTF_8);
        try (Connection connection = database.transaction()) {
            Outbox.builder().integrityKey(key).build().write(connection, event("good", "r-1"));
            connection.commit();
        }
        database.execute("update outbox set payload = '\"changed\"'");
        log.bury(1, "integrity", "it was changed");

        assertThatThrownBy(() -> admin.retryAcceptingChanges(ALL, "me"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("integrity key");
        assertThat(log.parked()).isEmpty();
        assertThat(admin.audit(10)).isEmpty();

        OutboxAdmin holder =
                OutboxAdmin.builder(database.dataSource()).integrityKey(key).build();
        assertThat(holder.retryAcceptingChanges(ALL, "me").back()).isEqualTo(1);
        assertThat(database.one("select substr(content_hash, 1, 5) from outbox_parked"))
                .isEqualTo("hmac:");
    }

    @Test
    void operatorsAtTheSameTimeSendNothingTwice() {
        for (int n = 1; n <= 50; n++) {
            log.insert("key-" + n, "bad");
            log.bury(n);
        }
        database.execute("delete from outbox where id > 25");

        List<CompletableFuture<Retried>> all = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> admin.retry(ALL, "me")))
                .limit(4)
                .toList();

        assertThat(all.stream().mapToLong(one -> one.join().sentAgain()).sum()).isEqualTo(50);
        assertThat(database.one("select (select count(*) from outbox_parked) || '/' || (select count(*) from outbox)"))
                .isEqualTo("25/50");
    }

    @Test
    void letterThatARelayIsJustRenewingIsNotTakenForALeftover() throws SQLException {
        log.insert("a", "1");
        log.bury(1);
        log.fail(1);
        try (Connection relay = database.transaction();
                Statement statement = relay.createStatement()) {
            // As a relay that buries the event once more: the letter, then what is beside the log, then the commit.
            statement.execute("update outbox_dead_letter set died_at = clock_timestamp()");
            statement.execute("update outbox_parked set state = 'DEAD'");
            CompletableFuture<Retried> retried = CompletableFuture.supplyAsync(() -> admin.retry(ALL, "me"));
            await().until(() -> !database.one("select count(*) from pg_locks where not granted")
                    .equals("0"));
            relay.commit();

            assertThat(retried.join()).isEqualTo(new Retried(1, 0, 0, 0));
        }
        assertThat(log.parked()).containsExactly("1|RETRY|holds|\"1\"");
    }

    @Test
    void requestsWakeRelays() throws SQLException {
        log.insert("a", "1");
        log.insert("b", "2");
        log.bury(1);
        log.bury(2);
        try (Connection listener = database.dataSource().getConnection();
                Statement statement = listener.createStatement()) {
            statement.execute("listen \"" + OutboxTable.DEFAULT.channel() + "\"");
            PGConnection postgres = listener.unwrap(PGConnection.class);

            admin.retry(DeadLetterSelection.ofIds(List.of(1L)), "me");
            assertThat(postgres.getNotifications(10_000)).hasSize(1);

            admin.discard(ALL, "me");
            assertThat(postgres.getNotifications(10_000)).hasSize(1);
            statement.execute("unlisten *");
        }
    }

    // ---- discarding

    @Test
    void discardDeletesLetterAndRowAndRequestsTheHoldAway() {
        log.insert("a", "1", "2");
        log.insert("b", "3");
        log.buryAndHold(1);
        log.bury(3);

        assertThat(admin.discard(ALL, "ann@desk")).isEqualTo(new Discarded(2, 0));

        assertThat(log.parked()).as("whole, because its row is gone").containsExactly("1|DISCARD|holds|\"1\"");
        assertThat(database.column("select id from outbox")).containsExactly("2");
        assertThat(admin.count(ALL)).isZero();
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "discard", "all", 2L));
    }

    @Test
    void discardLeavesAloneWhatIsNotDeadAnyMore() {
        log.insert("a", "1");
        log.insert("b", "2");
        log.bury(1);
        log.bury(2);
        log.fail(1);

        assertThat(admin.discard(ALL, "me")).isEqualTo(new Discarded(1, 1));

        assertThat(log.parked()).containsExactly("1|FAILED|holds|\"1\"");
        assertThat(database.column("select id from outbox")).containsExactly("1");
        assertThat(admin.count(ALL)).isZero();
    }

    @Test
    void discardLeavesAloneAnotherEventThatHasGotTheId() {
        log.insert("a", "1");
        log.bury(1);
        database.execute("truncate outbox restart identity");
        log.insert("b", "has the id of another");
        log.hold(1, true);

        assertThat(admin.discard(ALL, "me")).isEqualTo(new Discarded(1, 0));

        assertThat(log.parked()).containsExactly("1|DEAD|holds");
        assertThat(database.column("select aggregate_id from outbox")).containsExactly("b");
        assertThat(admin.list(ALL, 10).letters())
                .as("the other one had no letter")
                .extracting(DeadLetter::aggregateId, DeadLetter::errorClass)
                .containsExactly(tuple("b", DeadLetter.NO_LETTER));
    }

    // ---- the small language of this test

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

    /** Whether a relay would find the event beside the log unchanged. */
    private static boolean hashMatches(long id) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement select =
                        connection.prepareStatement("select * from outbox_parked where outbox_id = ?")) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                OutboxEvent event = OutboxEvent.builder(row.getString("event_type"))
                        .id((UUID) row.getObject("event_id"))
                        .aggregate(row.getString("aggregate_type"), row.getString("aggregate_id"))
                        .json(row.getString("payload"))
                        .occurredAt(row.getObject("occurred_at", OffsetDateTime.class)
                                .toInstant())
                        .requestId(row.getString("request_id"))
                        .build();
                return ContentHash.sha256().matches(event, row.getString("content_hash"));
            }
        }
    }
}
