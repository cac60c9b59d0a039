package dev.postrider.internal.source.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Append.Place;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.Position;
import dev.postrider.internal.store.log.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the owner of a shard sends and records, event by event. Keys are numbers, events too. */
class ShardTest {
    private static final long KEY = 7;
    private static final long OTHER_KEY = 8;
    private static final Snapshot NOW = Snapshot.parse("100:100:");

    private final Marks marks = new Marks();
    private Shard shard = shard(Position.at("3:3:"), false);

    @Test
    void cursorPassesAnEventWhenItAndAllBeforeItHaveAnEnd() {
        read(true, row(1, KEY), row(2, OTHER_KEY), row(3, KEY));
        send(3);

        published(3);
        assertThat(shard.nextAppend(new LogStore.Floor(1, 0), 0)).isNull();
        published(1);
        assertThat(append().position()).isEqualTo(new Position("3:3:", NOW.text(), 1));
        published(2);

        assertThat(append().position()).as("the whole window").isEqualTo(Position.at(NOW.text()));
    }

    @Test
    void windowKeepsItsEndWhileItIsPaged() {
        read(false, row(1, KEY));
        send(1);
        published(1);
        Snapshot later = Snapshot.parse("200:200:");

        assertThat(shard.nextPage(later, marks)).isEqualTo(new LogStore.PageRequest(0, 1, "3:3:", NOW.text()));
        assertThat(append().position()).isEqualTo(new Position("3:3:", NOW.text(), 1));
        shard.read(LogStore.Page.EMPTY, new ArrayList<>());

        assertThat(shard.nextPage(later, marks))
                .isEqualTo(new LogStore.PageRequest(0, Long.MIN_VALUE, NOW.text(), later.text()));
    }

    @Test
    void windowThatAFormerOwnerHadBegunGoesOnBehindItsLastEvent() {
        shard = shard(new Position("3:3:", "50:50:", 41), false);

        assertThat(shard.nextPage(NOW, marks)).isEqualTo(new LogStore.PageRequest(0, 41, "3:3:", "50:50:"));
    }

    @Test
    void nothingIsReadWhileNothingCanHaveBecomeVisible() {
        shard = shard(Position.at(NOW.text()), false);

        assertThat(shard.nextPage(NOW, marks)).isNull();
    }

    @Test
    void scanBeginsAtTheMarkBelowTheFirstTransactionThatIsNew() {
        marks.add(30, 300);
        marks.add(60, 600);
        shard = shard(Position.at("40:80:40"), false);

        assertThat(shard.nextPage(Snapshot.parse("40:90:40"), marks).afterId()).isEqualTo(600);
        shard.read(LogStore.Page.EMPTY, new ArrayList<>());
        assertThat(shard.nextPage(Snapshot.parse("95:95:"), marks).afterId())
                .as("the one that was running for long has ended")
                .isEqualTo(300);
    }

    @Test
    void followersOfAFailedEventAreQueuedWithIt() {
        read(true, row(1, KEY), row(2, KEY), row(3, OTHER_KEY));
        send(1);
        settle(new Settlement.Failed(claim(1, KEY), "no", Duration.ZERO, true));

        assertThat(shard.nextToSend().claim().id()).isEqualTo(3);
        published(3);

        Append.Changes changes = append().changes();
        assertThat(changes.failed()).extracting(failed -> failed.claim().id()).containsExactly(1L);
        assertThat(changes.queued()).containsExactly(new Place(2, KEY));
        assertThat(shard.gate().isClosed(KEY)).isTrue();
    }

    @Test
    void keyOpensOnlyAfterTheEndOfItsLastEventIsRecorded() {
        shard.gate().raise(KEY);
        shard.gate().ready(KEY);
        retry(row(1, KEY));
        published(1);
        assertThat(shard.gate().isClosed(KEY)).as("not recorded yet").isTrue();

        assertThat(append().changes().deleted()).containsExactly(1L);

        assertThat(shard.gate().isClosed(KEY)).isFalse();
    }

    /** 3 cannot be recorded while 2 is in flight; meanwhile the queue of its key is looked at and found empty. */
    @Test
    void keyIsLookedAtWhenItsQueueIsRecordedAfterItsFailedEventWasDelivered() {
        read(true, row(1, KEY), row(2, OTHER_KEY), row(3, KEY));
        send(2);
        settle(new Settlement.Failed(claim(1, KEY), "no", Duration.ZERO, true));
        assertThat(shard.nextToSend()).as("3 waits behind 1").isNull();
        append();
        shard.due(new LogStore.Parked(0, 1, KEY, LogStore.State.FAILED, true, false));
        retry(row(1, KEY));
        published(1);
        append();
        shard.retry(new LogStore.Queue(0, KEY, List.of(), List.of()), new ArrayList<>(), new ArrayList<>());
        assertThat(shard.gate().readyKeys(10)).isEmpty();

        published(2);
        assertThat(append().changes().queued()).containsExactly(new Place(3, KEY));

        assertThat(shard.gate().isClosed(KEY)).isTrue();
        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
    }

    /** The same where 1 was blocked and 3, which was fetched with it, came back. */
    @Test
    void keyIsLookedAtWhenItsQueueIsRecordedAfterItsBlockedEventWasDelivered() {
        read(true, row(1, KEY), row(2, OTHER_KEY), row(3, KEY));
        send(3);
        settle(new Settlement.Blocked(claim(1, KEY), "a", "no"));
        settle(new Settlement.Returned(claim(3, KEY)));
        append();
        shard.release(new LogStore.BlockedRow("a", 1, KEY));
        append();
        retry(row(1, KEY));
        published(1);
        append();
        shard.retry(new LogStore.Queue(0, KEY, List.of(), List.of()), new ArrayList<>(), new ArrayList<>());
        assertThat(shard.gate().readyKeys(10)).isEmpty();

        published(2);
        assertThat(append().changes().queued()).containsExactly(new Place(3, KEY));

        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
    }

    /** Who asks for ready keys until there are none would ask for ever. */
    @Test
    void keyWhoseFirstEventIsStillToBeDeletedIsNotReadyBefore() {
        shard = new Shard(
                new Cursor(0, 10, Position.at("3:3:"), LogStore.Floor.NONE, 0, "relay", new Cluster(1, 1)),
                new Shard.Ways(false, true, Integer.MAX_VALUE));
        shard.gate().raise(KEY, 2);
        shard.gate().ready(KEY);
        retry(row(1, KEY));
        published(1);
        append();

        retry(row(1, KEY));
        assertThat(shard.gate().readyKeys(10)).isEmpty();
        assertThat(append().changes().deleted()).containsExactly(1L);

        assertThat(shard.gate().readyKeys(10)).as("the next of the key").containsExactly(KEY);
    }

    @Test
    void eventThatWasNotSentJoinsTheQueueIfThoseBehindItAreToBeCommitted() {
        read(true, row(1, KEY), row(2, KEY), row(3, OTHER_KEY));
        send(3);
        shard.settle(new Settlement.Published(claim(3, OTHER_KEY)), true);
        shard.settle(new Settlement.Returned(claim(2, KEY)), true);
        shard.settle(new Settlement.Dead(claim(1, KEY), "too-large", "no"), true);

        Append append = append();
        assertThat(append.changes().queued()).containsExactly(new Place(2, KEY));
        assertThat(append.position()).isEqualTo(Position.at(NOW.text()));
        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
    }

    @Test
    void eventThatCameBackIsSentAgainInItsPlace() {
        read(true, row(1, KEY), row(2, KEY));
        send(2);
        settle(new Settlement.Returned(claim(2, KEY)));
        settle(new Settlement.Returned(claim(1, KEY)));

        assertThat(shard.nextToSend().claim().id()).isEqualTo(1);
        assertThat(shard.nextToSend().claim().id()).isEqualTo(2);
        assertThat(shard.nextAppend(new LogStore.Floor(1, 0), 0)).isNull();
    }

    @Test
    void keyWithAsManyEventsInFlightAsItMayHaveLetsOthersPassAndGoesOnInItsOrder() {
        shard = withAtMostTwoOfAKey();
        read(true, row(1, KEY), row(2, KEY), row(3, KEY), row(4, KEY), row(5, OTHER_KEY));
        assertSends(1, 2, 5);

        published(1);
        settle(new Settlement.Returned(claim(2, KEY)));
        assertSends(2, 3);
        published(2);
        assertSends(4);
    }

    @Test
    void failureClosesAKeyForThoseThatWaitForTheirTurn() {
        shard = withAtMostTwoOfAKey();
        read(true, row(1, KEY), row(2, KEY), row(3, KEY), row(4, KEY));
        assertSends(1, 2);
        settle(new Settlement.Failed(claim(1, KEY), "no", Duration.ZERO, true));
        settle(new Settlement.Returned(claim(2, KEY)));

        assertSends();
        assertThat(append().changes().queued())
                .containsExactly(new Place(2, KEY), new Place(3, KEY), new Place(4, KEY));
    }

    @Test
    void keyWithTooManyEventsToKeepGoesOnBesideTheLog() {
        shard = withAtMostTwoOfAKey();
        read(false, row(1, KEY), row(2, KEY), row(3, KEY), row(4, KEY));
        assertSends(1, 2);
        shard.setBusyKeysAside();
        read(true, row(5, KEY), row(6, OTHER_KEY));
        assertSends(6);

        published(1);
        settle(new Settlement.Returned(claim(2, KEY)));
        assertSends();
        assertThat(append().changes().queued())
                .containsExactly(new Place(2, KEY), new Place(3, KEY), new Place(4, KEY), new Place(5, KEY));
        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
    }

    private static Shard withAtMostTwoOfAKey() {
        return new Shard(
                new Cursor(0, 10, Position.at("3:3:"), LogStore.Floor.NONE, 0, "relay", new Cluster(1, 1)),
                new Shard.Ways(false, false, 2));
    }

    private void assertSends(long... ids) {
        for (long id : ids) {
            assertThat(shard.nextToSend().claim().id()).isEqualTo(id);
        }
        assertThat(shard.nextToSend()).isNull();
    }

    @Test
    void eventThatCameBackFromBeforeADeadLetterIsNotHeldByIt() {
        shard = shard(Position.at("3:3:"), true);
        read(true, row(1, KEY), row(2, KEY));
        send(2);
        settle(new Settlement.Dead(claim(2, KEY), "too-large", "no"));
        settle(new Settlement.Returned(claim(1, KEY)));

        assertThat(shard.nextToSend()).as("its key is closed").isNull();
        assertThat(append().changes().queued()).containsExactly(new Place(1, KEY));

        assertThat(shard.gate().readyKeys(10)).as("it is first in the queue").containsExactly(KEY);
    }

    @Test
    void eventThatCannotBeSentClosesItsKeyWhenItsTurnHasCome() {
        shard = shard(Position.at("3:3:"), true);
        read(true, row(1, KEY), unsendable(2, KEY), row(3, KEY));

        assertThat(shard.nextToSend().claim().id()).isEqualTo(1);
        assertThat(shard.nextToSend()).isNull();
        published(1);

        Append.Changes changes = append().changes();
        assertThat(changes.dead()).extracting(dead -> dead.claim().id()).containsExactly(2L);
        assertThat(changes.queued()).containsExactly(new Place(3, KEY));
    }

    @Test
    void shardIsNotHandedOverBeforeItsDeadHaveBeenToldOf() {
        read(true, unsendable(1, KEY));
        assertThat(shard.nextToSend()).isNull();
        assertThat(shard.isAnythingInFlight()).isTrue();

        settle(new Settlement.Dead(claim(1, KEY), "unreadable", "no"));

        assertThat(shard.isAnythingInFlight()).isFalse();
    }

    @Test
    void appendStaysTheSameUntilItIsMade() {
        read(true, row(1, KEY), row(2, KEY));
        send(2);
        published(1);
        Append first = shard.nextAppend(new LogStore.Floor(1, 5), 0);
        published(2);

        assertThat(shard.nextAppend(new LogStore.Floor(1, 6), 0)).isSameAs(first);
        shard.appended();

        Append second = shard.nextAppend(new LogStore.Floor(1, 6), 0);
        assertThat(first.seq()).isEqualTo(11);
        assertThat(second.seq()).isEqualTo(12);
        assertThat(second.position()).isEqualTo(Position.at(NOW.text()));
    }

    @Test
    void scheduledEventIsParkedAndClosesNothing() {
        LogStore.Row later = new LogStore.Row(stored(1, KEY), null, true);
        read(true, later, row(2, KEY));

        send(1);
        published(2);

        assertThat(append().changes().scheduled()).containsExactly(new Place(1, KEY));
        assertThat(shard.gate().isClosed(KEY)).isFalse();
    }

    @Test
    void requestIsTakenUpOnce() {
        LogStore.Parked request = new LogStore.Parked(0, 1, KEY, LogStore.State.RETRY, false, false);
        shard.due(request);
        shard.due(request);

        Append.Changes changes = append().changes();

        assertThat(changes.promoted()).containsExactly(1L);
        shard.gate().lower(KEY);
        assertThat(shard.gate().isClosed(KEY)).isFalse();
    }

    @Test
    void failedEventWhoseTimeHasComeBehindAnotherJoinsTheQueueOfItsKeyOnce() {
        shard.gate().raise(KEY, 2);
        LogStore.Parked follower = new LogStore.Parked(0, 2, KEY, LogStore.State.FAILED, true, true);
        shard.due(follower);
        shard.due(follower);

        assertThat(append().changes().released()).containsExactly(2L);

        assertThat(shard.gate().closedKeys()).isOne();
    }

    /** The end of 1 is on its way to the database when 2 is found to be due behind it. */
    @Test
    void keyIsLookedAtWhenItsFollowerIsQueuedAfterTheEventBeforeItWasDelivered() {
        shard.gate().raise(KEY, 2);
        shard.gate().ready(KEY);
        retry(row(1, KEY));
        published(1);
        shard.nextAppend(new LogStore.Floor(1, 0), 0);
        shard.due(new LogStore.Parked(0, 2, KEY, LogStore.State.FAILED, true, true));
        shard.appended();
        retry(row(2, KEY));
        assertThat(shard.gate().readyKeys(10))
                .as("not before its state is recorded")
                .isEmpty();

        append();

        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
    }

    @Test
    void failedEventThatIsFirstOfItsKeyMakesItReady() {
        shard.gate().raise(KEY);

        shard.due(new LogStore.Parked(0, 1, KEY, LogStore.State.FAILED, true, false));

        assertThat(shard.gate().readyKeys(10)).containsExactly(KEY);
        assertThat(shard.nextAppend(new LogStore.Floor(1, 0), 0)).isNull();
    }

    @Test
    void leavingShardReadsAndSendsNoMore() {
        read(false, row(1, KEY));
        shard.leave();

        assertThat(shard.wantsPage()).isFalse();
        assertThat(shard.isReading()).isFalse();
    }

    private static Shard shard(Position position, boolean holdDeadKeys) {
        return new Shard(
                new Cursor(0, 10, position, LogStore.Floor.NONE, 0, "relay", new Cluster(1, 1)),
                new Shard.Ways(holdDeadKeys, false, Integer.MAX_VALUE));
    }

    private void read(boolean complete, LogStore.Row... rows) {
        shard.nextPage(NOW, marks);
        shard.read(new LogStore.Page(List.of(rows), complete), new ArrayList<>());
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(shard.nextToSend()).isNotNull();
        }
    }

    private void retry(LogStore.Row row) {
        shard.retry(
                new LogStore.Queue(0, row.keyHash(), List.of(row), List.of()), new ArrayList<>(), new ArrayList<>());
    }

    private void published(long id) {
        settle(new Settlement.Published(claim(id, KEY)));
    }

    private void settle(Settlement settlement) {
        assertThat(shard.knows(settlement.claim().id())).isTrue();
        shard.settle(settlement, false);
    }

    private Append append() {
        Append append = shard.nextAppend(new LogStore.Floor(1, 0), 0);
        assertThat(append).isNotNull();
        shard.appended();
        return append;
    }

    private static LogStore.Row row(long id, long key) {
        return new LogStore.Row(stored(id, key), null, false);
    }

    private static LogStore.Row unsendable(long id, long key) {
        return new LogStore.Row(null, new Settlement.Dead(claim(id, key), "unreadable", "no"), false);
    }

    private static StoredEvent stored(long id, long key) {
        OutboxEvent event = OutboxEvent.builder("acme.a.b.v1")
                .aggregate("a", "a")
                .json(Long.toString(id))
                .build();
        return new StoredEvent(claim(id, key), event, 0);
    }

    private static RowClaim claim(long id, long key) {
        return new RowClaim(id, "", 0, key, 0, 0, Duration.ZERO);
    }
}
