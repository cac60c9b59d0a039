package dev.postrider.tests.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.CurrentTransaction;
import dev.postrider.EventMapping;
import dev.postrider.EventStatus;
import dev.postrider.Inbox;
import dev.postrider.JdbcTransactions;
import dev.postrider.NoTransactionException;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.Split;
import dev.postrider.failure.Backoff;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.Place;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What every claim-mode outbox does, wherever it is; said without a word of SQL. Events are told apart by their bodies. */
@ParameterizedClass
@EnumSource
class OutboxContractTest {
    private static final Duration LONG = Duration.ofHours(1);

    /** Much longer than the next statement takes. */
    private static final Duration RETRY = Duration.ofSeconds(4);

    private static final Duration SOON = Duration.ofMillis(10);

    private static Place.Opened place;

    private final Outbox outbox = Outbox.builder().build();
    private Connection connection;
    private OutboxStore store;

    @Parameter
    private Place parameter;

    @BeforeParameterizedClassInvocation
    static void start(Place parameter) {
        place = parameter.open();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        place.close().run();
    }

    @BeforeEach
    void clear() throws SQLException {
        place.clear().run();
        connection = place.dataSource().getConnection();
        store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        store.prepareRelaySession(connection);
    }

    @AfterEach
    void giveBack() throws SQLException {
        store.restoreSession(connection);
        connection.close();
    }

    // ---- writing

    @Test
    void eventIsThereWhenItsTransactionHasCommittedAndNotBefore() throws Exception {
        try (Connection writer = place.transaction()) {
            outbox.write(writer, event("a", "1"));
            assertThat(claim(10)).isEmpty();
            writer.commit();
        }
        assertThat(claim(10)).containsExactly("1");
    }

    @Test
    void eventOfATransactionThatDidNotCommitNeverWas() throws Exception {
        try (Connection writer = place.transaction()) {
            outbox.write(writer, event("a", "1"));
            writer.rollback();
            outbox.write(writer, event("a", "2"));
            writer.commit();
        }
        try (Connection writer = place.transaction()) {
            outbox.write(writer, event("a", "3"));
            writer.rollback();
        }
        assertThat(claim(10)).containsExactly("2");
    }

    @Test
    void writingWithoutTransactionIsRefused() {
        assertThatThrownBy(() -> outbox.write(connection, event("a", "1"))).isInstanceOf(NoTransactionException.class);
        assertThatThrownBy(() -> outbox.writeOnce(connection, request("r", "1")))
                .isInstanceOf(NoTransactionException.class);
    }

    @Test
    void eventComesBackAsItWasWritten() throws Exception {
        OutboxEvent event = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "7")
                .payload(Payload.bytes(new byte[] {0, -1, 7}, "application/octet-stream"))
                .key("customer-3")
                .source("shop")
                .headers(Map.of("traceparent", "00-1", "tenant", "ä"))
                .occurredAt(Instant.parse("2026-03-29T01:30:00.123456Z"))
                .requestId("r-1")
                .maxRetries(2)
                .build();
        write(event);

        OutboxEvent back = store.claim(connection, request(10)).events().get(0).event();

        assertThat(back).usingRecursiveComparison().isEqualTo(event);
    }

    @Test
    void requestIdThatIsThereIsRefusedWithWhatToDo() throws Exception {
        write(request("r", "1"));
        try (Connection writer = place.transaction()) {
            assertThatThrownBy(() -> outbox.write(writer, request("r", "2")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("Outbox.writeOnce");
            writer.rollback();
        }
        assertThat(claim(10)).containsExactly("1");
    }

    @Test
    void sameRequestFromTwentyThreadsWritesOnceAndTellsTheOthers() throws Exception {
        List<Future<Boolean>> others = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(19);
        try (Connection first = place.transaction()) {
            assertThat(outbox.writeOnce(first, request("r", "once"))).isTrue();
            for (int i = 1; i < 20; i++) {
                String body = String.valueOf(i);
                boolean looksBefore = i % 2 == 0;
                others.add(threads.submit(() -> writeOnceAndMore(body, looksBefore)));
            }
            // All of them wait for the first, and then know all at once.
            assertThatThrownBy(() -> others.get(18).get(500, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            first.commit();

            for (Future<Boolean> other : others) {
                assertThat(other.get()).isFalse();
            }
        } finally {
            threads.shutdown();
        }
        List<String> all = claim(100);
        assertThat(all).as("nobody's transaction was lost").hasSize(20);
        assertThat(all).containsOnlyOnce("once");
    }

    private boolean writeOnceAndMore(String body, boolean looksBefore) throws SQLException {
        try (Connection writer = place.transaction()) {
            if (looksBefore) {
                // From here on, some databases do not show the transaction what others commit.
                store.backlog(writer, 1);
            }
            boolean written = outbox.writeOnce(writer, request("r", "once"));
            outbox.write(writer, event("thread-" + body, body));
            writer.commit();
            return written;
        }
    }

    @Test
    void eventThatIsToBeWrittenOnceNeedsARequestId() throws Exception {
        try (Connection writer = place.transaction()) {
            assertThatThrownBy(() -> outbox.writeOnce(writer, event("a", "1")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("no request id");
            writer.rollback();
        }
    }

    @Test
    void requestsThatWaitForTheFirstTakeItsPlaceIfThatIsUndone() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Boolean>> others = new ArrayList<>();
        try (Connection first = place.transaction()) {
            outbox.writeOnce(first, request("r", "undone"));
            for (int i = 0; i < 3; i++) {
                others.add(threads.submit(() -> writeOnce(request("r", "second"))));
            }
            assertThatThrownBy(() -> others.get(2).get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            first.rollback();

            int written = 0;
            for (Future<Boolean> other : others) {
                written += other.get() ? 1 : 0;
            }
            assertThat(written).isEqualTo(1);
        } finally {
            threads.shutdown();
        }
        assertThat(claim(10)).containsExactly("second");
    }

    /** It is refused before the database sees it, so that the transaction can go on. */
    @Test
    void whatCannotBeStoredAsItIsIsRefusedAndSpoilsNothing() throws Exception {
        OutboxEvent twice = event("a", "2");
        List<List<OutboxEvent>> bad = List.of(
                List.of(builder("a\0", "2").build()),
                List.of(builder("a\ud83d", "2").build()),
                List.of(builder("a", "2").header("ce_id", "1").build()),
                List.of(builder("a", "2").header("tenant", "1\n2").build()),
                List.of(twice, twice));
        try (Connection writer = place.transaction()) {
            outbox.write(writer, event("a", "1"));
            for (List<OutboxEvent> events : bad) {
                assertThatThrownBy(() -> outbox.write(writer, events))
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("Nothing was written.");
            }
            outbox.write(writer, event("a", "3"));
            writer.commit();
        }
        assertThat(claim(10)).containsExactly("1", "3");
    }

    @Test
    void transactionThatAnErrorHasAbortedIsToldAsSuch() throws Exception {
        assumeTrue(parameter == Place.POSTGRES, "elsewhere a transaction goes on after an error");
        write(request("r", "1"));
        try (Connection writer = place.transaction()) {
            assertThatThrownBy(() -> outbox.write(writer, request("r", "2"))).hasMessageContaining("request id");
            assertThatThrownBy(() -> outbox.write(writer, event("a", "3")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageStartingWith("The transaction was already aborted by an earlier error");
            assertThatThrownBy(() -> Inbox.of("fraud").mark(writer, "1"))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageStartingWith("The transaction was already aborted by an earlier error");
            writer.rollback();
        }
    }

    // ---- in the current transaction

    @Test
    void eventIsWrittenInTheTransactionOfItsThread() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        Outbox current = Outbox.builder().currentTransaction(transactions).build();

        transactions.run(data -> {
            current.write(event("a", "1"));
            current.write(List.of(event("a", "2"), event("a", "3")));
            current.write((EventMapping<String>) body -> event("a", body), "4");
            outbox.write(data, (EventMapping<String>) body -> event("a", body), "5");
            assertThat(claim(10)).as("before the commit").isEmpty();
        });
        assertThatThrownBy(() -> transactions.run(data -> {
                    current.write(event("b", "undone"));
                    throw new IllegalStateException("no money");
                }))
                .hasMessage("no money");

        assertThat(claim(10)).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void requestIsWrittenOnceInTheTransactionOfItsThread() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        AtomicInteger told = new AtomicInteger();
        Outbox current = Outbox.builder()
                .currentTransaction(transactions)
                .afterCommit(told::incrementAndGet)
                .build();

        boolean first = transactions.call(data -> current.writeOnce(request("r", "1")));
        boolean second = transactions.call(data -> current.writeOnce(request("r", "2")));

        assertThat(List.of(first, second)).containsExactly(true, false);
        assertThat(told).as("of the one that was written").hasValue(1);
        assertThat(claim(10)).containsExactly("1");
    }

    @Test
    void relaysAreToldOnceForATransactionWhenItsEventsCanBeSeen() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        List<List<String>> seen = new ArrayList<>();
        Outbox current = Outbox.builder()
                .currentTransaction(transactions)
                .afterCommit(() -> seen.add(claimNow()))
                .build();

        transactions.run(data -> {
            current.write(event("a", "1"));
            current.write(event("a", "2"));
            assertThat(seen).as("before the commit").isEmpty();
        });
        assertThat(seen).containsExactly(List.of("1", "2"));

        transactions.run(data -> outbox.write(data, event("b", "3")));
        assertThatThrownBy(() -> transactions.run(data -> {
                    current.write(event("c", "undone"));
                    throw new IllegalStateException("no money");
                }))
                .hasMessage("no money");
        assertThat(seen).as("of what others wrote, or what was undone").hasSize(1);
    }

    private List<String> claimNow() {
        try {
            return claim(10);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The transaction has committed: whoever gets an exception would do everything again. */
    @Test
    void failureAfterTheCommitIsNotTheTransactions() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        Outbox current = Outbox.builder()
                .currentTransaction(transactions)
                .afterCommit(() -> {
                    throw new IllegalStateException("the relay is gone");
                })
                .build();

        transactions.run(data -> current.write(event("a", "1")));

        assertThat(claim(10)).containsExactly("1");
    }

    @Test
    void callWithinACallBelongsToItsTransactionAndFailsTheWhole() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        Outbox current = Outbox.builder().currentTransaction(transactions).build();

        transactions.run(data -> {
            current.write(event("a", "1"));
            transactions.run(same -> {
                assertThat(same).isSameAs(data);
                current.write(event("a", "2"));
            });
        });
        assertThatThrownBy(() -> transactions.run(data -> {
                    current.write(event("b", "undone"));
                    assertThatThrownBy(() -> transactions.run(same -> {
                                throw new IllegalStateException("inner");
                            }))
                            .hasMessage("inner");
                }))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("rolled back");

        assertThat(claim(10)).containsExactly("1", "2");
        transactions.run(data -> current.write(event("c", "3")));
        assertThat(claim(10)).as("the thread begins anew").containsExactly("3");
    }

    @Test
    void threadWithoutTransactionIsToldWhatToDo() {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        Outbox current = Outbox.builder().currentTransaction(transactions).build();

        assertThatThrownBy(() -> current.write(event("a", "1")))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("JdbcTransactions.call(..)");
        assertThatThrownBy(() -> current.writeOnce(request("r", "1"))).isInstanceOf(NoTransactionException.class);
        assertThatThrownBy(() -> outbox.write(event("a", "1")))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("write(connection, event)")
                .hasMessageContaining("currentTransaction(..)");
        assertThatThrownBy(() -> Outbox.builder().afterCommit(() -> {}).build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("currentTransaction(..)");
    }

    /** As a framework does whose transaction is one of another database. */
    @Test
    void currentTransactionWhoseConnectionCommitsByItselfIsRefused() {
        Outbox current = Outbox.builder()
                .currentTransaction(new CurrentTransaction() {
                    @Override
                    public Connection connection() {
                        return connection;
                    }

                    @Override
                    public void afterCommit(Runnable action) {}
                })
                .build();

        assertThatThrownBy(() -> current.write(event("a", "1"))).isInstanceOf(NoTransactionException.class);
    }

    // ---- claiming

    @Test
    void claimTakesWhatIsThereInOrderUpToItsLimit() throws Exception {
        write("a1", "b1", "c1", "a2");

        assertThat(claim(3)).containsExactly("a1", "b1", "c1");
        assertThat(claim(3)).as("a is on its way").isEmpty();
    }

    @Test
    void eventsOfOneKeyAreClaimedTogether() throws Exception {
        write("a1", "a2", "b1", "a3");

        assertThat(claim(10)).containsExactly("a1", "a2", "b1", "a3");
    }

    @Test
    void withoutOrderNothingHoldsBackAnything() throws Exception {
        write("a1");
        claim("one", 1, Ordering.NONE, Long.MAX_VALUE, Split.ALL);
        write("a2");

        assertThat(claim("two", 10, Ordering.NONE, Long.MAX_VALUE, Split.ALL)).containsExactly("a2");
    }

    @Test
    void scheduledEventWaitsAndHoldsNothing() throws Exception {
        Instant now = store.now(connection);
        write(later("a", "tomorrow", now.plus(Duration.ofDays(1))));
        write(later("b", "past", now.minus(Duration.ofDays(1))));
        write("a1", "b1");

        assertThat(claim(10)).containsExactly("past", "a1", "b1");
    }

    @Test
    void eventsWhoseTimeHasComeLeaveHalfOfAClaimToNewOnes() throws Exception {
        Instant past = store.now(connection).minus(Duration.ofDays(1));
        for (int n = 0; n < 30; n++) {
            write(later("due-" + n, "due", past));
        }
        for (int n = 0; n < 30; n++) {
            write(event("new-" + n, "new"));
        }

        List<String> claimed = claim(10);
        assertThat(claimed).hasSize(10);
        assertThat(Collections.frequency(claimed, "new")).isEqualTo(5);
    }

    @Test
    void claimStopsAtItsBytesButTakesAtLeastOneEvent() throws Exception {
        for (int n = 0; n < 5; n++) {
            write(event("key-" + n, "\"" + "x".repeat(1000) + "\""));
        }

        assertThat(claim("one", 10, Ordering.KEY, 2500, Split.ALL)).hasSize(2);
        assertThat(claim("one", 10, Ordering.KEY, 1, Split.ALL)).hasSize(1);
    }

    @Test
    void eventLargerThanTheLimitIsClaimedToBeGivenUpAndTakesNoRoom() throws Exception {
        String small = "\"" + "x".repeat(1000) + "\"";
        write(event("a", "1"));
        write(event("a", "\"" + "x".repeat(5000) + "\""));
        write(event("a", small));
        write(event("b", small));
        write(builder("c", "5").header("note", "x".repeat(3000)).build());

        for (Ordering ordering : Ordering.values()) {
            Claimed claimed = store.claim(
                    connection, new ClaimRequest("one", ordering, 10, 10, 3000, 2000, Split.ALL, 0, Set.of()));
            assertThat(bodies(claimed)).hasSize(3).startsWith("1");
            assertThat(claimed.unsendable()).hasSize(2).allSatisfy(dead -> {
                assertThat(dead.errorClass()).isEqualTo("too-large");
                assertThat(dead.error()).contains("max-event-bytes is 2000");
            });
            List<Settlement> back = new ArrayList<>();
            claimed.events().forEach(one -> back.add(new Settlement.Returned(one.claim())));
            claimed.unsendable().forEach(one -> back.add(new Settlement.Returned(one.claim())));
            assertThat(store.settle(connection, back, OnPublished.KEEP)).hasSize(5);
        }
    }

    @Test
    void staticSplitSharesKeysWithoutOverlapOrRest() throws Exception {
        write(IntStream.range(0, 60)
                .mapToObj(n -> (char) ('a' + n % 20) + "" + n)
                .toArray(String[]::new));

        Set<String> all = new HashSet<>();
        int claimed = 0;
        for (int i = 0; i < 3; i++) {
            List<String> share = claim("instance-" + i, 100, Ordering.KEY, Long.MAX_VALUE, new Split(i, 3));
            all.addAll(share);
            claimed += share.size();
        }
        assertThat(all).hasSize(60);
        assertThat(claimed).isEqualTo(60);
    }

    // ---- settling

    @Test
    void publishedEventsAreKeptOrDeleted() throws Exception {
        write(request("r", "1"));
        settle(OnPublished.KEEP, published(store.claim(connection, request(1))));
        assertThat(count(EventStatus.PUBLISHED)).isEqualTo(1);
        assertThat(writeOnce(request("r", "2"))).as("as long as it is there").isFalse();

        write("a1");
        settle(OnPublished.DELETE, published(store.claim(connection, request(1))));
        assertThat(count(EventStatus.PUBLISHED)).isEqualTo(1);
    }

    @Test
    void failedEventHoldsBackItsKeyUntilItIsPublishedAndThenTheRestComesInOrder() throws Exception {
        write("a1", "a2", "b1", "a3");
        StoredEvent first = store.claim(connection, request(1)).events().get(0);
        settle(OnPublished.KEEP, new Settlement.Failed(first.claim(), "too bad", Duration.ZERO, true));

        Claimed again = store.claim(connection, request(1));
        assertThat(bodies(again)).containsExactly("a1");
        assertThat(again.events().get(0).claim().attempts()).isEqualTo(1);
        settle(OnPublished.KEEP, new Settlement.Failed(again.events().get(0).claim(), "again", LONG, true));

        Claimed others = store.claim(connection, request(10));
        assertThat(bodies(others)).containsExactly("b1");
        assertThat(others.held()).isEqualTo(2);
        assertThat(count(EventStatus.HELD)).isEqualTo(2);
        assertThat(releaseHeld(100)).as("while the key is closed").isZero();
    }

    @Test
    void keyOpensAgainInOrderWhenItsFailedEventIsPublished() throws Exception {
        write("a1", "a2", "a3");
        StoredEvent first = store.claim(connection, request(1)).events().get(0);
        settle(OnPublished.KEEP, new Settlement.Failed(first.claim(), "x", RETRY, true));
        assertThat(store.claim(connection, request(10)).held()).isEqualTo(2);

        place.pass().accept(RETRY);
        Claimed retry = store.claim(connection, request(10));
        assertThat(bodies(retry)).containsExactly("a1");
        settle(OnPublished.KEEP, published(retry));

        assertThat(releaseHeld(100)).isEqualTo(2);
        assertThat(claim(10)).containsExactly("a2", "a3");
    }

    @Test
    void blockedEventWaitsWithItsKeyForItsDestinationAndGoesOnInOrder() throws Exception {
        write("a1", "a2", "b1", "c1", "a3");
        List<StoredEvent> first = store.claim(connection, request(1)).events();
        settle(OnPublished.KEEP, blocked(first.get(0), "topic-a"));

        Claimed others = store.claim(connection, request(10));
        assertThat(bodies(others)).containsExactly("b1", "c1");
        assertThat(others.held()).isEqualTo(2);
        assertThat(count(EventStatus.BLOCKED)).as("with those behind it").isEqualTo(3);
        settle(
                OnPublished.KEEP,
                blocked(others.events().get(0), "topic-b"),
                new Settlement.Published(others.events().get(1).claim()));

        assertThat(claim(10)).isEmpty();
        assertThat(releaseHeld(100)).isZero();
        assertThat(store.backlog(connection, 100).count()).isEqualTo(4);
        assertThat(store.blockedDestinations(connection, "", 10)).containsExactly("topic-a", "topic-b");
        assertThat(store.blockedDestinations(connection, "", 1)).containsExactly("topic-a");
        assertThat(store.blockedDestinations(connection, "topic-a", 10)).containsExactly("topic-b");
        assertThat(store.blockedDestinations(connection, "topic-b", 10)).isEmpty();
        assertThat(store.statusStore(connection).status(connection).blocked())
                .extracting(one -> one.name() + " " + one.events() + " " + one.reason())
                .containsExactly("topic-a 3 There is none.", "topic-b 1 There is none.");

        assertThat(store.releaseBlocked(connection, "topic-a", 2)).isEqualTo(2);
        Claimed again = store.claim(connection, request(10));
        assertThat(bodies(again)).containsExactly("a1", "a2");
        assertThat(again.events())
                .allSatisfy(event -> assertThat(event.claim().attempts()).isZero());
        assertThat(store.releaseBlocked(connection, "topic-a", 2)).isEqualTo(1);
        settle(OnPublished.KEEP, published(again));
        assertThat(claim(10)).containsExactly("a3");
        assertThat(store.blockedDestinations(connection, "", 10)).containsExactly("topic-b");
    }

    @Test
    void afterAStartWhateverIsBlockedGoesOnOnce() throws Exception {
        write("a1", "b1", "c1");
        List<StoredEvent> all = store.claim(connection, request(3)).events();
        settle(
                OnPublished.KEEP,
                blocked(all.get(0), "topic-b"),
                blocked(all.get(1), "topic-a"),
                blocked(all.get(2), "topic-b"));

        OutboxStore.ReleasedTo position = OutboxStore.ReleasedTo.START;
        int released = 0;
        for (int round = 0; round < 10; round++) {
            position = store.releaseAnyBlocked(connection, position, 1);
            released += position.events();
            for (StoredEvent event : store.claim(connection, request(3)).events()) {
                settle(OnPublished.KEEP, blocked(event, "topic-a"));
            }
        }

        assertThat(released)
                .as("none of them twice, though they are blocked again")
                .isEqualTo(3);
    }

    @Test
    void whatWaitsBehindABlockedEventDoesNotWaitForItsDestinationOnceThatIsDelivered() throws Exception {
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.payload().text().equals("\"x1\"")
                        ? new PublishResult.Blocked("topic", "missing", "There is none.")
                        : new PublishResult.Accepted());
        try (Relay relay = relay(publisher, retry(2))) {
            // A relay that has just started lets everything go on that is blocked: nothing is, yet.
            relay.runOnce();
            write("x1");
            while (count(EventStatus.BLOCKED) < 1) {
                relay.runOnce();
            }
            write("a1", "a2", "a3");
            // Another relay met the topic while it was gone, back for one event, and gone again.
            settle(
                    OnPublished.KEEP,
                    blocked(store.claim(connection, request(1)).events().get(0), "topic"));
            assertThat(store.claim(connection, request(10)).held()).isEqualTo(2);
            store.releaseAnyBlocked(connection, OutboxStore.ReleasedTo.START, 2);
            List<StoredEvent> first = store.claim(connection, request(10)).events();
            settle(
                    OnPublished.KEEP,
                    blocked(first.get(0), "topic"),
                    new Settlement.Published(first.get(1).claim()));
            assertThat(count(EventStatus.BLOCKED)).as("x1, a2, a3").isEqualTo(3);

            await().atMost(Duration.ofMinutes(1)).until(() -> {
                relay.runOnce();
                return publisher.acceptedBodies().equals(List.of("\"a2\"", "\"a3\""));
            });

            assertThat(count(EventStatus.BLOCKED)).as("x1").isEqualTo(1);
        }
    }

    private static Settlement.Blocked blocked(StoredEvent event, String destination) {
        return new Settlement.Blocked(event.claim(), destination, "There is none.");
    }

    @Test
    void endlessErrorIsRecordedAsFarAsItFits() throws Exception {
        write("a1", "b1");
        Claimed claimed = store.claim(connection, request(2));
        String endless = "x".repeat(100_000);

        settle(OnPublished.KEEP, new Settlement.Failed(claimed.events().get(0).claim(), endless, LONG, true));
        Settlement.Dead dead = new Settlement.Dead(claimed.events().get(1).claim(), endless, endless);
        assertThat(store.bury(connection, List.of(dead), false)).hasSize(1);

        assertThat(count(EventStatus.FAILED)).isEqualTo(1);
        assertThat(count(EventStatus.DEAD_LETTER)).isEqualTo(1);
    }

    @Test
    void deadEventLetsItsKeyGoOnOrHoldsIt() throws Exception {
        write("a1", "a2", "b1", "b2");
        Claimed both = store.claim(connection, request(10));
        store.bury(connection, List.of(dead(both, 0)), false);
        store.bury(connection, List.of(dead(both, 2)), true);
        settle(
                OnPublished.KEEP,
                new Settlement.Returned(both.events().get(1).claim()),
                new Settlement.Returned(both.events().get(3).claim()));

        assertThat(claim(10)).containsExactly("a2");
        assertThat(count(EventStatus.DEAD_LETTER)).isEqualTo(2);
        assertThat(count(EventStatus.HELD)).isEqualTo(1);
        assertThat(releaseHeld(100)).isZero();
    }

    @Test
    void whoLostAnEventCannotSettleIt() throws Exception {
        write("a1");
        Claimed zombie = store.claim(connection, request(1));
        store.recoverStalled(connection, 100);
        Claimed heir = store.claim(connection, request(1));

        assertThat(settle(OnPublished.KEEP, published(zombie))).isEmpty();
        assertThat(settle(OnPublished.DELETE, published(zombie))).isEmpty();
        assertThat(store.bury(connection, List.of(dead(zombie, 0)), false)).isEmpty();
        assertThat(settle(OnPublished.KEEP, published(heir))).hasSize(1);
    }

    // ---- relays alive and dead

    @Test
    void eventsOfARelayComeBackWhenItIsDeadAndNotBefore() throws Exception {
        write("a1", "b1");
        store.renewInstance(connection, "alive", LONG, "closed");
        claim("alive", 1, Ordering.KEY, Long.MAX_VALUE, Split.ALL);
        store.renewInstance(connection, "paused", Duration.ofMillis(-1), "closed");
        claim("paused", 1, Ordering.KEY, Long.MAX_VALUE, Split.ALL);

        assertThat(store.recoverStalled(connection, 100)).isEqualTo(1);

        assertThat(claim(10)).containsExactly("b1");
        store.releaseInstance(connection, "alive");
        assertThat(claim(10)).containsExactly("a1");
    }

    @Test
    void eventsThatRelaysDiedWithAreClaimedApartWithThoseThatAsManyHaveDiedWith() throws Exception {
        write("a1", "a2", "b1", "c1");
        for (int deaths = 0; deaths < 2; deaths++) {
            store.claim(connection, request(10));
            store.recoverStalled(connection, 100);
        }
        write("d1");

        assertThat(claim(10)).containsExactly("d1");
        assertThat(store.outlook(connection).suspects()).isTrue();
        assertThat(store.deathsOfSuspects(connection)).containsExactly(2);
        assertThat(bodies(store.claimSuspects(connection, request(1), 2))).containsExactly("a1");
        assertThat(bodies(store.claimSuspects(connection, request(10), 2)))
                .as("a2 waits for a1")
                .containsExactly("b1", "c1");
        store.recoverStalled(connection, 100);

        assertThat(store.deathsOfSuspects(connection)).containsExactly(2, 3);
        assertThat(bodies(store.claimSuspects(connection, request(10), 2)))
                .as("a2 waits for a1, however many have died with that")
                .isEmpty();
        assertThat(bodies(store.claimSuspects(connection, request(10), 3))).containsExactly("a1", "b1", "c1");
    }

    // ---- housekeeping

    @Test
    void oneOwnerHasALeaseUntilItIsGivenUpOrExpires() throws Exception {
        assertThat(store.tryLease(connection, "job", "one", LONG)).isTrue();
        assertThat(store.tryLease(connection, "job", "two", LONG)).isFalse();
        store.tryLease(connection, "job", "one", Duration.ofMillis(-1));
        assertThat(store.tryLease(connection, "job", "two", LONG)).as("expired").isTrue();
        store.releaseLease(connection, "job", "one");
        assertThat(store.tryLease(connection, "job", "one", LONG)).isFalse();
        store.releaseLease(connection, "job", "two");
        assertThat(store.tryLease(connection, "job", "one", LONG)).isTrue();
    }

    @Test
    void purgeDeletesWhatWasPublishedLongAgoInChunks() throws Exception {
        write("a1", "b1", "c1");
        settle(OnPublished.KEEP, published(store.claim(connection, request(2))));

        assertThat(store.purgePublished(connection, LONG, Purged.Position.START, 10)
                        .deleted())
                .as("too young")
                .isZero();
        Duration future = LONG.negated();
        Purged first = store.purgePublished(connection, future, Purged.Position.START, 1);
        assertThat(first.deleted()).isEqualTo(1);
        Purged second = store.purgePublished(connection, future, first.last(), 10);
        assertThat(second.looked()).isEqualTo(1);
        assertThat(second.deleted()).isEqualTo(1);
        assertThat(claim(10)).as("what was not published stays").containsExactly("c1");
    }

    @Test
    void notesAreKeptAndTheStatusCountsWhatIsThere() throws Exception {
        assertThat(store.note(connection, "contract")).isNull();
        store.putNote(connection, "contract", "one");
        store.putNote(connection, "contract", "two");
        assertThat(store.note(connection, "contract")).isEqualTo("two");

        write("a1", "b1", "c1");
        store.claim(connection, request(1));
        assertThat(count(EventStatus.SENDING)).isEqualTo(1);
        assertThat(count(EventStatus.PENDING)).isEqualTo(2);
        assertThat(store.backlog(connection, 100).count()).isEqualTo(3);
        assertThat(store.backlog(connection, 2).count()).isEqualTo(2);
    }

    // ---- a relay on it

    @Test
    void poisonedEventDelaysItsKeyOnlyAndDiesAfterItsRetries() throws Exception {
        write("bad1", "good1", "bad2");
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.payload().text().equals("\"bad1\"")
                        ? new PublishResult.Rejected("poison", false)
                        : new PublishResult.Accepted());
        try (Relay relay = relay(publisher, retry(2))) {
            assertThat(relay.runOnce().failed()).isEqualTo(1);
            assertThat(publisher.acceptedBodies()).containsExactly("\"good1\"");
            int runs = 0;
            while (publisher.accepted().size() < 2) {
                place.pass().accept(SOON);
                relay.runOnce();
                assertThat(runs++).isLessThan(100);
            }
        }
        assertThat(publisher.acceptedBodies()).containsExactly("\"good1\"", "\"bad2\"");
        assertThat(count(EventStatus.DEAD_LETTER)).isEqualTo(1);
    }

    @Test
    void outageCostsNoRetries() throws Exception {
        write("a1", "a2");
        int[] outages = {3};
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> outages[0]-- > 0 ? new PublishResult.Unavailable("no broker") : new PublishResult.Accepted());
        try (Relay relay = relay(publisher, retry(0))) {
            int runs = 0;
            while (publisher.accepted().size() < 2) {
                place.pass().accept(SOON);
                relay.runOnce();
                assertThat(runs++).isLessThan(100);
            }
        }
        assertThat(publisher.acceptedBodies()).containsExactly("\"a1\"", "\"a2\"");
    }

    @Test
    void eventsThatAreDueBeforeAnEarlierOneOfTheirKeyDoNotStandInTheWayOfThatOneHoweverManyTheyAre() throws Exception {
        Instant now = store.now(connection);
        List<OutboxEvent> scheduled = new ArrayList<>();
        for (int key = 0; key < 200; key++) {
            scheduled.add(later("k" + key, "first", now.minusSeconds(10)));
            scheduled.add(later("k" + key, "second", now.minusSeconds(20)));
        }
        try (Connection writer = place.transaction()) {
            outbox.write(writer, scheduled);
            writer.commit();
        }
        RecordingPublisher publisher = RecordingPublisher.answering(event -> new PublishResult.Accepted());
        try (Relay relay = relayOfTens(publisher)) {
            for (int runs = 0; publisher.accepted().size() < 400; runs++) {
                relay.runOnce();
                assertThat(runs).isLessThan(400);
            }
        }
        for (int key = 0; key < 200; key++) {
            String aggregate = "k" + key;
            assertThat(publisher.accepted().stream()
                            .filter(event -> event.aggregateId().equals(aggregate))
                            .map(event -> event.payload().text()))
                    .as(aggregate)
                    .containsExactly("\"first\"", "\"second\"");
        }
    }

    @Test
    void keyWhoseTimesAreInTheOppositeOrderOfItsEventsIsSetAsideOnce() throws Exception {
        Instant now = store.now(connection);
        try (Connection writer = place.transaction()) {
            outbox.write(
                    writer,
                    IntStream.range(0, 100)
                            .mapToObj(n -> later("k", "e" + n, now.minusSeconds(1_000 + n)))
                            .toList());
            writer.commit();
        }
        RecordingPublisher publisher = RecordingPublisher.answering(event -> new PublishResult.Accepted());
        try (Relay relay = relayOfTens(publisher)) {
            for (int runs = 0; publisher.accepted().size() < 100; runs++) {
                relay.runOnce();
                assertThat(runs).as("passes, each with a claim of ten").isLessThan(100);
            }
        }
        assertThat(publisher.acceptedBodies())
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(n -> "\"e" + n + "\"").toList());
    }

    @Test
    void closedKeysAreLookedAtInPartsOrByName() throws Exception {
        Instant now = store.now(connection);
        for (String key : List.of("a", "b", "c")) {
            write(later(key, "first", now.minusSeconds(10)));
            write(later(key, "second", now.minusSeconds(20)));
        }
        Set<Long> keys = new HashSet<>();
        for (int second = 0; second < 3; second++) {
            keys.addAll(store.claim(connection, request(1)).heldKeys());
        }
        assertThat(keys).hasSize(3);
        assertThat(count(EventStatus.HELD)).isEqualTo(3);
        List<Long> sorted = keys.stream().sorted().toList();

        assertThat(store.releaseHeld(connection, Long.MIN_VALUE, 2, 10))
                .isEqualTo(new OutboxStore.HeldKeys(2, sorted.get(1), 0));
        assertThat(store.releaseHeld(connection, sorted.get(1) + 1, 2, 10))
                .isEqualTo(new OutboxStore.HeldKeys(1, sorted.get(2), 0));
        assertThat(store.releaseHeld(connection, sorted.get(2) + 1, 2, 10))
                .isEqualTo(new OutboxStore.HeldKeys(0, 0, 0));
        assertThat(store.releaseHeld(connection, keys, 10)).isZero();

        settle(OnPublished.KEEP, published(store.claim(connection, request(10))));
        assertThat(store.releaseHeld(connection, List.of(sorted.get(0), 17L), 10))
                .as("of one of them, and of one that is not closed")
                .isEqualTo(1);
        assertThat(store.releaseHeld(connection, sorted.get(1), 1, 10))
                .isEqualTo(new OutboxStore.HeldKeys(1, sorted.get(1), 1));
        assertThat(count(EventStatus.HELD)).isEqualTo(1);
        assertThat(count(EventStatus.PENDING)).isEqualTo(2);
    }

    // ---- the small language of this test

    private Relay relayOfTens(RecordingPublisher publisher) {
        return Relay.builder(place.dataSource(), publisher)
                .settings(RelaySettings.builder().batchSize(10).retry(retry(0)).build())
                .build();
    }

    /** Bodies whose letters are their keys. */
    private void write(String... bodies) throws SQLException {
        try (Connection writer = place.transaction()) {
            outbox.write(
                    writer,
                    Arrays.stream(bodies)
                            .map(body -> event(body.replaceAll("[0-9]", ""), "\"" + body + "\""))
                            .toList());
            writer.commit();
        }
    }

    private void write(OutboxEvent event) throws SQLException {
        try (Connection writer = place.transaction()) {
            outbox.write(writer, event);
            writer.commit();
        }
    }

    private boolean writeOnce(OutboxEvent event) throws SQLException {
        try (Connection writer = place.transaction()) {
            boolean written = outbox.writeOnce(writer, event);
            writer.commit();
            return written;
        }
    }

    private static OutboxEvent event(String key, String body) {
        return builder(key, body).build();
    }

    private static OutboxEvent request(String id, String body) {
        return builder("requests", body).requestId(id).build();
    }

    private static OutboxEvent later(String key, String body, Instant time) {
        return builder(key, body).deliverAfter(time).build();
    }

    private static OutboxEvent.Builder builder(String key, String body) {
        return OutboxEvent.builder("acme.a.b.v1")
                .aggregate("a", key)
                .json(body.startsWith("\"") ? body : "\"" + body + "\"");
    }

    private List<String> claim(int limit) throws SQLException {
        return claim("one", limit, Ordering.KEY, Long.MAX_VALUE, Split.ALL);
    }

    private List<String> claim(String owner, int limit, Ordering ordering, long bytes, Split split)
            throws SQLException {
        return bodies(store.claim(connection, new ClaimRequest(owner, ordering, limit, limit, bytes, split)));
    }

    private int releaseHeld(int limit) throws SQLException {
        return store.releaseHeld(connection, Long.MIN_VALUE, 100, limit).events();
    }

    private static ClaimRequest request(int limit) {
        return new ClaimRequest("one", Ordering.KEY, limit, limit, Long.MAX_VALUE, Split.ALL);
    }

    private static List<String> bodies(Claimed claimed) {
        return claimed.events().stream()
                .map(stored -> stored.event().payload().text().replace("\"", ""))
                .toList();
    }

    private Set<Long> settle(OnPublished onPublished, Settlement... settlements) throws SQLException {
        return store.settle(connection, Arrays.asList(settlements), onPublished);
    }

    private static Settlement[] published(Claimed claimed) {
        return claimed.events().stream()
                .map(stored -> new Settlement.Published(stored.claim()))
                .toArray(Settlement[]::new);
    }

    private static Settlement.Dead dead(Claimed claimed, int which) {
        return new Settlement.Dead(claimed.events().get(which).claim(), "test", "hopeless");
    }

    private long count(EventStatus status) throws SQLException {
        return store.statusStore(connection).status(connection).count(status);
    }

    private static Backoff retry(int times) {
        return new Backoff(SOON, 1, SOON, 0, times);
    }

    private static Relay relay(RecordingPublisher publisher, Backoff retry) {
        return Relay.builder(place.dataSource(), publisher)
                .settings(RelaySettings.builder().retry(retry).build())
                .build();
    }
}
