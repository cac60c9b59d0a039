package dev.postrider.tests.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.EventStatus;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxTable;
import dev.postrider.Split;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What claiming and settling do to the rows. */
@ParameterizedClass
@EnumSource
class ClaimTest {
    @Parameter
    private TestServer server;

    private static TestDatabase database;

    private OutboxStore store;
    private Connection connection;

    @BeforeParameterizedClassInvocation
    static void start(TestServer server) {
        database = TestDatabase.withOutbox(server);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
        connection = database.dataSource().getConnection();
        store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        store.prepareRelaySession(connection);
    }

    @AfterEach
    void giveBack() throws SQLException {
        store.restoreSession(connection);
        connection.close();
    }

    @Test
    void claimMarksRowsWithOwnerTimeAndVersion() throws SQLException {
        insert("a");

        Claimed claimed = claim("one", 10);

        assertThat(claimed.events()).hasSize(1);
        assertThat(claimed.events().get(0).claim().version()).isEqualTo(1);
        assertThat(database.one(
                        "select concat_ws('|', status, locked_by, case when locked_at is not null then 'yes' end,"
                                + " version, claims) from outbox"))
                .isEqualTo("SENDING|one|yes|1|1");
    }

    @Test
    void claimTakesEventsInIdOrderUpToItsLimit() throws SQLException {
        insert("a", "b", "c", "a", "b");

        assertThat(ids(claim("one", 3))).containsExactly(1L, 2L, 3L);
    }

    @Test
    void claimThatDoesNotLookBelowAnIdOvertakesNothingThere() throws SQLException {
        insert("a", "b", "a", "c");

        ClaimRequest fromTheThird =
                new ClaimRequest("one", Ordering.KEY, 10, 10, Long.MAX_VALUE, Long.MAX_VALUE, Split.ALL, 3, Set.of());
        Claimed claimed = store.claim(connection, fromTheThird);

        assertThat(ids(claimed)).as("c, but not the second a").containsExactly(4L);
        assertThat(claimed.lowest()).isEqualTo(3);
        assertThat(ids(claim("one", 10))).containsExactly(1L, 2L, 3L);
    }

    @Test
    void nobodyElseGetsAnEventOfAKeyInFlight() throws SQLException {
        insert("a", "b");
        claim("one", 1);
        // What is in flight for long has its followers set aside.
        database.execute("update outbox set locked_at = locked_at + interval '1' hour where id = 1");
        insert("a", "c");

        Claimed second = claim("two", 10);

        assertThat(ids(second)).as("b and c, but not the second a").containsExactly(2L, 4L);
        assertThat(second.seen()).isEqualTo(3);
        assertThat(status(3)).isEqualTo("PENDING");
    }

    @Test
    void eventsOfOneKeyAreClaimedTogether() throws SQLException {
        insert("a", "a", "b", "a");

        assertThat(ids(claim("one", 10))).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void rowLockedBySomebodyElseHoldsBackItsKeyAlone() throws SQLException {
        insert("a", "b", "a");
        try (Connection stranger = database.transaction()) {
            stranger.createStatement().execute("select 1 from outbox where id = 1 for update");

            assertThat(ids(claim("one", 10))).containsExactly(2L);
            stranger.rollback();
        }

        assertThat(ids(claim("one", 10))).containsExactly(1L, 3L);
    }

    @Test
    void rowLockedInTheMiddleOfAKeyHoldsBackWhatIsBehindIt() throws SQLException {
        insert("a", "b", "a", "a", "b");
        Claimed before;
        try (Connection stranger = database.transaction()) {
            stranger.createStatement().execute("select 1 from outbox where id = 3 for update");

            before = claim("one", 10);
            assertThat(ids(before)).containsExactly(1L, 2L, 5L);
            stranger.rollback();
        }
        settle(OnPublished.KEEP, published(before));

        assertThat(ids(claim("one", 10))).containsExactly(3L, 4L);
    }

    @Test
    void eventInFlightInTheMiddleOfAKeyHoldsBackWhatIsBehindIt() throws SQLException {
        insert("a", "a", "a");
        // As after an operator has brought back an earlier event.
        database.execute("update outbox set status = 'DEAD_LETTER' where id = 1");
        assertThat(ids(claim("one", 1))).containsExactly(2L);
        database.execute("update outbox set status = 'PENDING' where id = 1");

        assertThat(ids(claim("two", 10))).containsExactly(1L);
    }

    @Test
    void withoutOrderNothingHoldsBackAnything() throws SQLException {
        insert("a");
        claim("one", 1, Ordering.NONE, Long.MAX_VALUE, Split.ALL);
        insert("a");

        assertThat(ids(claim("two", 10, Ordering.NONE, Long.MAX_VALUE, Split.ALL)))
                .containsExactly(2L);
    }

    @Test
    void withoutOrderEventsGoByDueTime() throws SQLException {
        insert("a", "b", "c");
        database.execute("update outbox set next_attempt_at = now() - interval '1' hour where id = 3");
        database.execute("update outbox set next_attempt_at = now() - interval '2' hour where id = 2");

        assertThat(ids(claim("one", 2, Ordering.NONE, Long.MAX_VALUE, Split.ALL)))
                .containsExactly(2L, 3L);
    }

    @Test
    void scheduledEventWaitsAndHoldsNothing() throws SQLException {
        insert("a", "a");
        database.execute("update outbox set next_attempt_at = now() + interval '1' hour where id = 1");

        assertThat(ids(claim("one", 10))).containsExactly(2L);
    }

    @Test
    void scheduledEventIsInOrderFromItsDueTimeOn() throws SQLException {
        insert("a", "a");
        database.execute("update outbox set next_attempt_at = now() - interval '1' second where id = 1");

        assertThat(ids(claim("one", 10))).containsExactly(1L, 2L);
    }

    @Test
    void claimStopsAtItsBytesButTakesAtLeastOneEvent() throws SQLException {
        for (int n = 1; n <= 10; n++) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.a.b.v1', 'a', '" + n + "', '\"" + "x".repeat(1000) + "\"')");
        }

        assertThat(ids(claim("one", 10, Ordering.KEY, 2500, Split.ALL))).containsExactly(1L, 2L);
        assertThat(ids(claim("one", 10, Ordering.KEY, 1, Split.ALL))).containsExactly(3L);
        assertThat(ids(claim("one", 10, Ordering.NONE, 3500, Split.ALL))).containsExactly(4L, 5L, 6L);
    }

    @Test
    void staticSplitSharesKeysWithoutOverlapOrRest() throws SQLException {
        insert(java.util.stream.IntStream.range(0, 100)
                .mapToObj(n -> "key-" + n % 20)
                .toArray(String[]::new));

        Set<Long> all = new HashSet<>();
        int claimed = 0;
        for (int i = 0; i < 3; i++) {
            List<Long> share = ids(claim("instance-" + i, 1000, Ordering.KEY, Long.MAX_VALUE, new Split(i, 3)));
            assertThat(share).isNotEmpty();
            all.addAll(share);
            claimed += share.size();
        }

        assertThat(all).hasSize(100);
        assertThat(claimed).isEqualTo(100);
    }

    @Test
    void publishedRowsAreKeptWithTheirTime() throws SQLException {
        insert("a");

        settle(OnPublished.KEEP, published(claim("one", 1)));

        assertThat(database.one("select concat_ws('|', status, case when published_at is not null then 'yes' end,"
                        + " case when locked_by is null then 'yes' end, version) from outbox"))
                .isEqualTo("PUBLISHED|yes|yes|2");
    }

    @Test
    void publishedRowsAreDeletedIfAskedFor() throws SQLException {
        insert("a", "b");

        settle(OnPublished.DELETE, published(claim("one", 1)));

        assertThat(database.column("select id from outbox")).containsExactly("2");
    }

    @Test
    void failedEventKeepsItsErrorAndHoldsBackItsKey() throws SQLException {
        insert("a", "a", "b");
        StoredEvent first = claim("one", 1).events().get(0);
        settle(OnPublished.KEEP, new Settlement.Failed(first.claim(), "too bad", Duration.ofHours(1), true));

        Claimed next = claim("one", 10);

        assertThat(ids(next)).containsExactly(3L);
        assertThat(next.held()).isEqualTo(1);
        assertThat(database.one("select concat_ws('|', status, attempts, last_error,"
                        + " case when next_attempt_at > now() + interval '59' minute then 'yes' end)"
                        + " from outbox where id = 1"))
                .isEqualTo("FAILED|1|too bad|yes");
        assertThat(status(2)).isEqualTo("HELD");
    }

    @Test
    void rowsToBeLeftAloneTakeNoRoomFromOthers() throws SQLException {
        insert("a", "b", "a", "c");
        ClaimRequest request =
                new ClaimRequest("one", Ordering.KEY, 1, 1, Long.MAX_VALUE, Long.MAX_VALUE, Split.ALL, 0, Set.of(1L));

        Claimed claimed = store.claim(connection, request);

        assertThat(ids(claimed)).containsExactly(2L);
        assertThat(claimed.seen()).isEqualTo(1);
        assertThat(claimed.lowest()).isEqualTo(2);
        assertThat(ids(store.claim(connection, request.withScan(10))))
                .as("not what is behind it")
                .containsExactly(4L);
    }

    @Test
    void heldEventHoldsBackItsKeyThoughNothingElseOfItIsUnfinished() throws SQLException {
        insert("a", "a", "b");
        database.execute("update outbox set status = 'HELD' where id = 1");

        assertThat(ids(claim("one", 10))).as("b, but not the second a").containsExactly(3L);
        assertThat(status(2)).isEqualTo("HELD");

        database.execute("update outbox set status = 'PENDING', abandoned = 2 where id = 2");
        assertThat(ids(claimSuspects("one", 10, 2))).as("not even as a suspect").isEmpty();

        assertThat(releaseHeld(10)).isEqualTo(2);
        assertThat(ids(claim("one", 10))).containsExactly(1L);
    }

    @Test
    void heldEventsAreNotLookedAtByTheNextClaim() throws SQLException {
        insert("a", "a", "a");
        failFirst(Duration.ofHours(1));
        claim("one", 10);

        assertThat(claim("one", 10).seen()).isZero();
    }

    @Test
    void keyOpensAgainWhenItsFailedEventIsPublished() throws SQLException {
        insert("a", "a", "a");
        failFirst(Duration.ZERO);
        claimAndHold();
        assertThat(releaseHeld(100)).as("while the key is closed").isZero();

        settle(OnPublished.KEEP, published(claim("one", 10)));
        assertThat(releaseHeld(100)).isEqualTo(2);

        assertThat(ids(claim("one", 10))).containsExactly(2L, 3L);
    }

    @Test
    void heldEventDoesNotWaitForALaterOneOfItsKey() throws SQLException {
        for (String later : List.of("BLOCKED", "FAILED", "SENDING", "DEAD_LETTER")) {
            database.clear();
            insert("a", "a", "a");
            database.execute("update outbox set status = 'HELD' where id <> 2");
            database.execute("update outbox set status = '" + later + "', blocked_by = 'topic', holds_key = true,"
                    + " next_attempt_at = " + server.time("2100-01-01T00:00:00Z") + " where id = 2");

            assertThat(store.singly().releasable(connection, 10))
                    .as(later)
                    .extracting(RowClaim::id)
                    .contains(1L);
            releaseHeld(10);
            Claimed claimed = claim("one", 10);

            assertThat(ids(claimed)).as(later).containsExactly(1L);
            assertThat(status(3)).as(later).isNotEqualTo("SENDING");
        }
    }

    @Test
    void partlyReleasedKeyStaysInOrder() throws SQLException {
        insert("a", "a", "a", "a");
        failFirst(Duration.ZERO);
        claimAndHold();
        settle(OnPublished.KEEP, published(claim("one", 10)));

        assertThat(releaseHeld(1)).isEqualTo(1);

        assertThat(ids(claim("one", 10))).containsExactly(2L);
        assertThat(status(3)).isEqualTo("HELD");
    }

    @Test
    void deadEventLetsItsKeyGoOn() throws SQLException {
        insert("a", "a");
        StoredEvent first = claim("one", 1).events().get(0);

        bury(false, first);

        assertThat(database.one("select status || attempts || last_error from outbox where id = 1"))
                .isEqualTo("DEAD_LETTER1hopeless");
        assertThat(ids(claim("one", 10))).containsExactly(2L);
    }

    @Test
    void eventsBehindOneThatTakesLongAreSetAside() throws SQLException {
        insert("a", "a");
        claim("one", 1);
        database.execute("update outbox set locked_at = locked_at - interval '2' second where id = 1");

        assertThat(claim("two", 10).held()).isEqualTo(1);

        assertThat(status(2)).isEqualTo("HELD");
    }

    @Test
    void returnedEventIsAsDueAsBefore() throws SQLException {
        insert("a");
        StoredEvent first = claim("one", 1).events().get(0);

        settle(OnPublished.KEEP, new Settlement.Returned(first.claim()));

        assertThat(database.one("select status || attempts from outbox")).isEqualTo("PENDING0");
        assertThat(ids(claim("two", 10))).containsExactly(1L);
    }

    @Test
    void severalKindsOfOutcomeAreSettledTogether() throws SQLException {
        insert("a", "b", "c");
        List<StoredEvent> events = claim("one", 3).events();

        Set<Long> recorded = settle(
                OnPublished.KEEP,
                new Settlement.Published(events.get(0).claim()),
                new Settlement.Failed(events.get(1).claim(), "x", Duration.ofHours(1), true),
                new Settlement.Returned(events.get(2).claim()));

        assertThat(recorded).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(database.column("select status from outbox order by id"))
                .containsExactly("PUBLISHED", "FAILED", "PENDING");
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void whoLostARowCannotSettleIt() throws SQLException {
        insert("a");
        Settlement late = published(claim("zombie", 1))[0];
        store.recoverStalled(connection, 100);
        claim("heir", 1);

        assertThat(settle(OnPublished.KEEP, late)).isEmpty();
        assertThat(settle(OnPublished.DELETE, late)).isEmpty();

        assertThat(database.one("select status || locked_by from outbox")).isEqualTo("SENDINGheir");
    }

    @Test
    void outcomeOfAnEventDoesNotMeetTheOneThatHasItsIdAfterATruncate() throws SQLException {
        insert("a");
        RowClaim former = claim("one", 1).events().get(0).claim();
        truncate();
        insert("b");
        RowClaim now = claim("two", 1).events().get(0).claim();
        assertThat(List.of(now.id(), now.version())).isEqualTo(List.of(former.id(), former.version()));
        List<String> before = database.column(server.wholeRows());

        assertThat(settle(OnPublished.KEEP, new Settlement.Published(former))).isEmpty();
        assertThat(settle(OnPublished.DELETE, new Settlement.Published(former))).isEmpty();
        assertThat(settle(OnPublished.KEEP, new Settlement.Returned(former))).isEmpty();
        assertThat(settle(OnPublished.KEEP, new Settlement.Failed(former, "x", Duration.ZERO, true)))
                .isEmpty();
        assertThat(settle(OnPublished.KEEP, new Settlement.Blocked(former, "topic", "x")))
                .isEmpty();
        Settlement.Dead dead = new Settlement.Dead(former, "test", "hopeless");
        assertThat(store.describe(connection, List.of(dead))).isEmpty();
        assertThat(store.bury(connection, List.of(dead), true)).isEmpty();
        assertThat(store.buryWithoutLetter(connection, List.of(dead), true)).isEmpty();
        assertThat(store.singly().mark(connection, former, EventStatus.PUBLISHED, false))
                .isFalse();
        assertThat(store.singly().bury(connection, dead, true)).isFalse();

        assertThat(database.column(server.wholeRows())).isEqualTo(before);
        assertThat(database.one("select count(*) from outbox_dead_letter")).isEqualTo("0");
        assertThat(settle(OnPublished.KEEP, new Settlement.Published(now))).containsExactly(now.id());
    }

    @Test
    void outcomesOfTwoEventsThatHadTheSameIdAreToldApart() throws SQLException {
        insert("a");
        RowClaim former = claim("one", 1).events().get(0).claim();
        truncate();
        insert("b");
        RowClaim now = claim("one", 1).events().get(0).claim();

        store.bury(
                connection,
                List.of(new Settlement.Dead(now, "now", "new"), new Settlement.Dead(former, "former", "old")),
                false);

        assertThat(database.one("select concat_ws('|', aggregate_id, error_class, reason) from outbox_dead_letter"))
                .isEqualTo("b|now|new");
        assertThat(database.one("select concat_ws('|', status, last_error, attempts) from outbox"))
                .isEqualTo("DEAD_LETTER|new|1");
    }

    @Test
    void letterOfTheEventThatHadTheIdBeforeATruncateStaysAsItIs() throws SQLException {
        insert("a");
        bury(false, claim("one", 1).events().get(0));
        truncate();
        insert("b");
        Settlement.Dead dead =
                new Settlement.Dead(claim("one", 1).events().get(0).claim(), "other", "of another event");

        assertThatThrownBy(() -> store.bury(connection, List.of(dead), false)).satisfies(ClaimTest::isRowsFault);
        assertThatThrownBy(() -> store.singly().bury(connection, dead, false)).satisfies(ClaimTest::isRowsFault);

        assertThat(database.one("select concat_ws('|', aggregate_id, error_class, reason) from outbox_dead_letter"))
                .isEqualTo("a|test|hopeless");
        assertThat(status(1)).as("not changed without a letter").isEqualTo("SENDING");
    }

    @Test
    void rowFoundBeforeATruncateIsNotTheOneThatHasItsIdAfterwards() throws SQLException {
        insert("a");
        ClaimRequest request = new ClaimRequest("one", Ordering.KEY, 10, 10, Long.MAX_VALUE, Split.ALL);
        RowClaim former = store.singly().firstDue(connection, request).get(0);
        truncate();
        insert("b");
        List<String> before = database.column(server.wholeRows());

        Settlement.Dead dead = new Settlement.Dead(former, "test", "cannot be claimed");
        assertThat(store.bury(connection, List.of(dead), true)).isEmpty();
        assertThat(store.singly().mark(connection, former, EventStatus.DEAD_LETTER, true))
                .isFalse();

        assertThat(database.column(server.wholeRows())).isEqualTo(before);
    }

    @Test
    void rowsOfALiveRelayAreNeverTaken() throws SQLException {
        insert("a", "b");
        store.renewInstance(connection, "alive", Duration.ofMinutes(1), "closed");
        claim("alive", 1);
        claim("dead", 1);
        database.execute("update outbox set locked_at = locked_at - interval '1' day");

        assertThat(store.recoverStalled(connection, 100)).isEqualTo(1);

        assertThat(database.column("select status from outbox order by id")).containsExactly("SENDING", "PENDING");
    }

    @Test
    void rowsOfARelayWhoseLeaseExpiredComeBack() throws SQLException {
        insert("a");
        store.renewInstance(connection, "paused", Duration.ofMillis(-1), "closed");
        claim("paused", 1);

        assertThat(store.recoverStalled(connection, 100)).isEqualTo(1);
    }

    @Test
    void relayThatGivesUpItsNamePutsItsRowsBackWithoutBlame() throws SQLException {
        insert("a", "b");
        store.renewInstance(connection, "one", Duration.ofMinutes(1), "closed");
        claim("one", 1);
        claim("two", 1);

        store.releaseInstance(connection, "one");

        assertThat(database.column("select status || abandoned from outbox order by id"))
                .containsExactly("PENDING0", "SENDING0");
        assertThat(database.one("select count(*) from outbox_lease")).isEqualTo("0");
    }

    @Test
    void rowThatMakesNoEventIsGivenUpAndTheOthersGoOn() throws SQLException {
        insert("a", "b");
        database.execute("update outbox set event_type = ' ' where id = 1");

        Claimed claimed = claim("one", 10);

        assertThat(ids(claimed)).containsExactly(2L);
        assertThat(claimed.unsendable()).hasSize(1);
        assertThat(claimed.unsendable().get(0).error()).contains("type");
    }

    @Test
    void deadLetterHoldsEverythingNeededToSendTheEventAgain() throws SQLException {
        insert("a");
        bury(false, claim("one", 1).events().get(0));

        assertThat(database.one("select concat_ws('|', outbox_id, event_type, aggregate_type, aggregate_id, payload,"
                        + " content_type, attempts, error_class, reason, case when first_failed_at <= died_at then 'yes' end)"
                        + " from outbox_dead_letter"))
                .isEqualTo("1|acme.a.b.v1|a|a|{}|application/json|1|test|hopeless|yes");
    }

    @Test
    void deadLetterThatHoldsItsKeyKeepsItClosed() throws SQLException {
        insert("a", "a", "b");
        bury(true, claim("one", 1).events().get(0));

        assertThat(ids(claim("one", 10))).containsExactly(3L);
        assertThat(status(2)).isEqualTo("HELD");
        assertThat(releaseHeld(100)).isZero();
    }

    @Test
    void eventThatRelaysDiedWithIsNotClaimedWithOthers() throws SQLException {
        insert("a", "b");
        dieWithEverything();
        dieWithEverything();
        insert("c");

        assertThat(ids(claim("one", 10))).containsExactly(3L);
        assertThat(store.outlook(connection).suspects()).isTrue();
        assertThat(store.deathsOfSuspects(connection)).containsExactly(2);
        assertThat(ids(claimSuspects("one", 1, 2))).containsExactly(1L);
        assertThat(ids(claimSuspects("one", 1, 2))).containsExactly(2L);
    }

    @Test
    void suspectWaitsForTheEventsOfItsKeyBeforeIt() throws SQLException {
        insert("a", "a");
        dieWithEverything();
        dieWithEverything();

        assertThat(ids(claimSuspects("one", 1, 2))).containsExactly(1L);
        assertThat(ids(claimSuspects("two", 1, 2))).isEmpty();
    }

    private Claimed claimSuspects(String owner, int maxEvents, int deaths) throws SQLException {
        return store.claimSuspects(
                connection, new ClaimRequest(owner, Ordering.KEY, 100, maxEvents, 1_000_000, Split.ALL), deaths);
    }

    @Test
    void rowChangedAfterItWasWrittenIsNotGivenOut() throws SQLException {
        insert("a", "b");
        database.execute("update outbox set content_hash = 'other' where id = 1");

        Claimed claimed = claim("one", 10);

        assertThat(ids(claimed)).containsExactly(2L);
        assertThat(claimed.unsendable()).extracting(Settlement.Dead::errorClass).containsExactly("integrity");
    }

    // ---- the small language of this test

    private void dieWithEverything() throws SQLException {
        claim("mortal", 100);
        store.recoverStalled(connection, 100);
    }

    private void bury(boolean holdKey, StoredEvent event) throws SQLException {
        store.bury(connection, List.of(new Settlement.Dead(event.claim(), "test", "hopeless")), holdKey);
    }

    private static void isRowsFault(Throwable error) {
        assertThat(SqlErrors.isRowsFault((SQLException) error)).isTrue();
    }

    /** Ids begin anew. */
    private void truncate() {
        database.execute("truncate table outbox" + (server == TestServer.POSTGRES ? " restart identity" : ""));
    }

    private void insert(String... keys) {
        StringBuilder values = new StringBuilder();
        for (String key : keys) {
            values.append(values.isEmpty() ? "" : ", ").append("('acme.a.b.v1', 'a', '" + key + "', '{}')");
        }
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values " + values);
    }

    private Claimed claim(String owner, int limit) throws SQLException {
        return claim(owner, limit, Ordering.KEY, Long.MAX_VALUE, Split.ALL);
    }

    private Claimed claim(String owner, int limit, Ordering ordering, long bytes, Split split) throws SQLException {
        return store.claim(connection, new ClaimRequest(owner, ordering, limit, limit, bytes, split));
    }

    private int releaseHeld(int limit) throws SQLException {
        return store.releaseHeld(connection, Long.MIN_VALUE, 100, limit).events();
    }

    private void failFirst(Duration delay) throws SQLException {
        StoredEvent first = claim("one", 1).events().get(0);
        settle(OnPublished.KEEP, new Settlement.Failed(first.claim(), "x", delay, true));
    }

    /** Claims what is due, and once more, so that the followers of a failed event in flight are set aside. */
    private void claimAndHold() throws SQLException {
        Claimed claimed = claim("one", 1);
        assertThat(ids(claimed)).containsExactly(1L);
        settle(
                OnPublished.KEEP,
                new Settlement.Failed(claimed.events().get(0).claim(), "x", Duration.ofHours(1), true));
        claim("one", 10);
        database.execute("update outbox set next_attempt_at = now() where status = 'FAILED'");
    }

    private Set<Long> settle(OnPublished onPublished, Settlement... settlements) throws SQLException {
        return store.settle(connection, Arrays.asList(settlements), onPublished);
    }

    private static Settlement[] published(Claimed claimed) {
        List<Settlement> all = new ArrayList<>();
        claimed.events().forEach(stored -> all.add(new Settlement.Published(stored.claim())));
        return all.toArray(Settlement[]::new);
    }

    private static List<Long> ids(Claimed claimed) {
        return claimed.events().stream().map(stored -> stored.claim().id()).toList();
    }

    private String status(long id) {
        return database.one("select status from outbox where id = " + id);
    }
}
