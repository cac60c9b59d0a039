package dev.postrider.tests.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.Inbox;
import dev.postrider.JdbcTransactions;
import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.Place;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Marks of what was handled, in the transaction of the work. */
@ParameterizedClass
@EnumSource
class InboxTest {
    private static Place.Opened place;

    private final Place parameter;
    private final Inbox inbox = Inbox.of("fraud");
    private final Outbox outbox = Outbox.builder().build();

    InboxTest(Place parameter) {
        this.parameter = parameter;
    }

    @BeforeParameterizedClassInvocation
    static void start(Place parameter) {
        place = parameter.open();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        place.close().run();
    }

    @BeforeEach
    void clear() {
        place.clear().run();
    }

    @Test
    void eventIsHandledOnceByEachConsumer() throws Exception {
        assertThat(isNew(inbox, "1")).isTrue();
        assertThat(isNew(inbox, "1")).isFalse();
        assertThat(isNew(Inbox.of("billing"), "1")).isTrue();
    }

    @Test
    void markAndWorkAreUndoneTogether() throws Exception {
        try (Connection connection = place.transaction()) {
            assertThat(inbox.mark(connection, "1")).isTrue();
            effect(connection, "1");
            connection.rollback();
        }

        assertThat(isNew(inbox, "1")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void batchIsToldWhatIsNew() throws Exception {
        inTransaction(connection -> inbox.mark(connection, List.of("b", "d")));

        assertThat(newOf(List.of("e", "d", "a", "a", "b", "c"))).containsExactly("e", "a", "c");
        assertThat(newOf(List.of())).isEmpty();
    }

    @Test
    void actionIsDoneOnceToAnAggregate() throws Exception {
        assertThat(isNewAction("product", "7", "sold")).isTrue();
        assertThat(isNewAction("product", "7", "sold")).isFalse();
        assertThat(isNewAction("product", "7", "viewed")).isTrue();
        assertThat(isNewAction("product", "8", "sold")).isTrue();
        assertThat(isNewAction("product/7", "sold", "")).isTrue();
    }

    /** Case, accents and spaces at the end make a difference, whatever the database thinks of them otherwise. */
    @Test
    void idsAreComparedByTheirBytes() throws Exception {
        List<String> ids = List.of("a", "A", "a ", "á", "ß", "ss", "😀");

        assertThat(newOf(ids)).containsExactlyElementsOf(ids);
    }

    @Test
    void whoeverComesLaterWaitsForTheFirstAndOneTakesItsPlaceIfThatIsUndone() throws Exception {
        // No mark that was ever there: a database that has not forgotten one yet locks otherwise.
        String id = UUID.randomUUID().toString();
        ExecutorService others = Executors.newFixedThreadPool(5);
        List<Future<Boolean>> later = new ArrayList<>();
        try (Connection first = place.transaction()) {
            inbox.mark(first, id);
            for (int i = 0; i < 5; i++) {
                later.add(others.submit(() -> isNew(inbox, id)));
            }
            assertThatThrownBy(() -> later.get(4).get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            first.rollback();

            int handled = 0;
            for (Future<Boolean> one : later) {
                handled += one.get() ? 1 : 0;
            }
            assertThat(handled).isEqualTo(1);
        } finally {
            others.shutdown();
        }
    }

    /** Some databases show a transaction that has looked before nothing that others commit after that. */
    @Test
    void transactionThatHasLookedBeforeIsToldWhatOthersHaveHandledSince() throws Exception {
        try (Connection early = place.transaction()) {
            Databases.of(early).outboxStore(OutboxTable.DEFAULT).backlog(early, 1);
            inTransaction(connection -> inbox.mark(connection, "1"));
            inTransaction(connection -> inbox.answerOnce(connection, "r-1", () -> "done"));

            assertThat(inbox.mark(early, List.of("1", "2"))).containsExactly("2");
            assertThat(inbox.answerOnce(early, "r-1", () -> "again")).isEqualTo(new Inbox.Answer("done", true));
            early.commit();
        }
        assertThat(newOf(List.of("1", "2", "3"))).containsExactly("3");
    }

    /** In any order, and with overlaps: nobody waits for somebody who waits for him. */
    @Test
    void batchesAtTheSameTimeDoNotBlockEachOther() throws Exception {
        List<Callable<Integer>> batches = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> ids = new ArrayList<>(
                    IntStream.range(0, 200).mapToObj(String::valueOf).toList());
            java.util.Collections.shuffle(ids, new java.util.Random(i));
            batches.add(() -> inTransaction(connection -> {
                var fresh = inbox.mark(connection, ids);
                for (String id : fresh) {
                    effect(connection, id);
                }
                return fresh.size();
            }));
        }

        assertThat(together(batches).stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
        assertThat(effects()).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void batchesOfDifferentEventsDoNotBlockEachOther() throws Exception {
        for (int round = 0; round < 20; round++) {
            List<Callable<Integer>> batches = new ArrayList<>();
            CyclicBarrier allMarked = new CyclicBarrier(6);
            for (int i = 0; i < 6; i++) {
                List<String> ids = IntStream.range(0, 100)
                        .mapToObj(id -> UUID.randomUUID().toString())
                        .toList();
                batches.add(() -> inTransaction(connection -> {
                    int fresh = inbox.mark(connection, ids).size();
                    allMarked.await(1, TimeUnit.MINUTES);
                    return fresh;
                }));
            }
            assertThat(together(batches)).containsOnly(100);
        }
    }

    @Test
    void purgeDoesNotWaitForAMarkThatSomebodyLooksAt() throws Exception {
        inTransaction(connection -> inbox.mark(connection, List.of("1", "2", "3")));
        place.age().accept(Duration.ofDays(2));
        try (Connection handler = place.transaction()) {
            assertThat(inbox.mark(handler, "2")).isFalse();
            assumeTrue(parameter != Place.POSTGRES, "there a mark that was there is not locked");

            inbox.purge(place.dataSource(), Duration.ofDays(1));
            handler.rollback();
        }
        inbox.purge(place.dataSource(), Duration.ofDays(1));
        assertThat(newOf(List.of("1", "2", "3"))).hasSize(3);
    }

    @Test
    void sameRequestFromTwentyThreadsHasOneEffectAndOneAnswer() throws Exception {
        List<Callable<Inbox.Answer>> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String answer = "{\"thread\": " + i + "}";
            requests.add(() -> inTransaction(connection -> inbox.answerOnce(connection, "r-1", () -> {
                effect(connection, "r-1");
                return answer;
            })));
        }

        List<Inbox.Answer> answers = together(requests);

        assertThat(effects()).hasSize(1);
        assertThat(answers).filteredOn(Inbox.Answer::repeated).hasSize(19);
        assertThat(answers.stream().map(Inbox.Answer::outcome).distinct()).hasSize(1);
    }

    @Test
    void requestThatFailedHasNotBeenThere() throws Exception {
        assertThatThrownBy(() -> inTransaction(connection -> inbox.answerOnce(connection, "r-2", () -> {
                    throw new IllegalStateException("no money");
                })))
                .hasMessage("no money");

        Inbox.Answer answer = inTransaction(connection -> inbox.answerOnce(connection, "r-2", () -> "done"));
        assertThat(answer).isEqualTo(new Inbox.Answer("done", false));
    }

    @Test
    void marksAreMadeInTheTransactionOfTheirThread() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        Inbox current = inbox.with(transactions);

        assertThatThrownBy(() -> transactions.run(connection -> {
                    assertThat(current.mark("1")).isTrue();
                    throw new IllegalStateException("no money");
                }))
                .hasMessage("no money");
        transactions.run(connection -> {
            assertThat(current.mark(List.of("1", "2"))).containsExactly("1", "2");
            assertThat(current.markAction("product", "7", "sold")).isTrue();
            assertThat(current.answerOnce("r-1", () -> "done")).isEqualTo(new Inbox.Answer("done", false));
        });

        assertThat(newOf(List.of("1", "2", "3"))).containsExactly("3");
        assertThat(isNewAction("product", "7", "sold")).isFalse();
        assertThatThrownBy(() -> current.mark("4"))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("JdbcTransactions.call(..)");
        assertThatThrownBy(() -> inbox.mark("4"))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("mark(connection, id)");
    }

    @Test
    void oldMarksAreDeletedAndYoungOnesStay() throws Exception {
        List<String> ids = IntStream.range(0, 2_500).mapToObj(String::valueOf).toList();
        inTransaction(connection -> inbox.mark(connection, ids));
        inTransaction(connection -> Inbox.of("billing").mark(connection, ids));
        place.age().accept(Duration.ofDays(2));
        inTransaction(connection -> inbox.mark(connection, "young"));

        assertThat(inbox.purge(place.dataSource(), Duration.ofDays(1))).isEqualTo(2_500);

        assertThat(newOf(List.of("young", "0"))).containsExactly("0");
        assertThat(isNew(Inbox.of("billing"), "0")).isFalse();
    }

    /** Stored as a question mark, different ids would be the same. */
    @Test
    void idThatCannotBeStoredAsItIsIsRefusedAndSpoilsNothing() throws Exception {
        boolean fresh = inTransaction(connection -> {
            for (String bad : List.of("\ud83d", "\ude00", "1\0")) {
                assertThatThrownBy(() -> inbox.mark(connection, bad))
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("Nothing was written.");
            }
            return inbox.mark(connection, "?");
        });

        assertThat(fresh).isTrue();
        assertThat(isNew(inbox, "?")).isFalse();
    }

    @Test
    void misuseIsExplained() throws Exception {
        try (Connection connection = place.dataSource().getConnection()) {
            assertThatThrownBy(() -> inbox.mark(connection, "1")).isInstanceOf(NoTransactionException.class);
        }
        try (Connection connection = place.transaction()) {
            assertThatThrownBy(() -> inbox.mark(connection, "x".repeat(1_001)))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("1001 bytes");
            assumeTrue(parameter != Place.MEMORY, "where there are no tables, none is missing");
            assertThatThrownBy(() -> Inbox.of("fraud", "nowhere").mark(connection, "1"))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("There is no inbox table nowhere")
                    .hasMessageContaining("postrider migrate --inbox");
            connection.rollback();
        }
    }

    private boolean isNew(Inbox inbox, String id) throws Exception {
        return inTransaction(connection -> inbox.mark(connection, id));
    }

    private boolean isNewAction(String type, String id, String action) throws Exception {
        return inTransaction(connection -> inbox.markAction(connection, type, id, action));
    }

    private Set<String> newOf(List<String> ids) throws Exception {
        return inTransaction(connection -> inbox.mark(connection, ids));
    }

    private interface Work<T> {
        T in(Connection connection) throws Exception;
    }

    private static <T> T inTransaction(Work<T> work) throws Exception {
        try (Connection connection = place.transaction()) {
            try {
                T result = work.in(connection);
                connection.commit();
                return result;
            } catch (Exception e) {
                connection.rollback();
                throw e;
            }
        }
    }

    /** What is done when an event is handled. */
    private void effect(Connection connection, String event) {
        outbox.write(
                connection,
                OutboxEvent.builder("acme.a.b.v1")
                        .aggregate("a", event)
                        .json("{}")
                        .build());
    }

    private static List<String> effects() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Relay relay = Relay.builder(place.dataSource(), publisher).build()) {
            relay.runOnce();
        }
        return publisher.accepted().stream().map(OutboxEvent::aggregateId).toList();
    }

    private static <T> List<T> together(List<Callable<T>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> call : threads.invokeAll(calls)) {
                results.add(call.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }
}
