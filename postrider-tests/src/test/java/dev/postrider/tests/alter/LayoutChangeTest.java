package dev.postrider.tests.alter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.LayoutChange;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is special about some events when the layout changes, and what happens when the change does not go well. */
@Tag(Torture.ALSO)
class LayoutChangeTest {
    private static final LayoutRequest CLAIM = new LayoutRequest(OutboxMode.CLAIM, null, null);
    private static final LayoutRequest LOG = new LayoutRequest(OutboxMode.LOG, null, null);
    private static final LayoutRequest ONE = new LayoutRequest(null, 1, null);
    private static final LayoutRequest SIXTEEN = new LayoutRequest(null, 16, null);

    private @Nullable TestDatabase database;
    private final List<String> progress = new ArrayList<>();

    @AfterEach
    void close() {
        if (database != null) {
            database.close();
        }
    }

    static Stream<Arguments> changes() {
        Stream<Arguments> everyBuild = Stream.of(
                Arguments.of(OutboxLayout.claim(), LOG),
                Arguments.of(OutboxLayout.log(4), CLAIM),
                Arguments.of(OutboxLayout.log(1), SIXTEEN));
        return Torture.isOn()
                ? Stream.concat(everyBuild, Stream.of(Arguments.of(OutboxLayout.log(4), ONE)))
                : everyBuild;
    }

    // ---- special events

    @ParameterizedTest
    @MethodSource("changes")
    void closedKeysScheduledAndDeadEventsAreWhatTheyWere(OutboxLayout from, LayoutRequest request) {
        TestDatabase outbox = outbox(from);
        RecordingPublisher before = BusyOutbox.answering(body -> body.contains("fails")
                ? new PublishResult.Rejected("not now", false)
                : body.contains("dies") ? new PublishResult.Rejected("never", true) : new PublishResult.Accepted());
        insert("early", "done");
        insert("closed", "1 fails");
        insert("closed", "2");
        insert("closed", "3");
        insert("dead", "1 dies");
        insert("dead", "2");
        schedule("later", "scheduled", 3600);
        try (Relay relay = BusyOutbox.relay(outbox, "before", before)) {
            relay.start();
            insert("early", "done too");
            await().until(() -> before.accepted().size() == 2
                    && outbox.one("select count(*) from outbox_dead_letter").equals("1")
                    && waiting(from).equals("6"));
        }
        insert("closed", "4");
        insert("dead", "3");
        insert("new", "1");
        insert("new", "2");

        alter(request);

        OutboxLayout to = request.from(from);
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        try (Relay relay = BusyOutbox.relay(outbox, "after", after)) {
            relay.start();
            await().until(() -> after.accepted().size() == 2 && waiting(to).equals("8"));
            assertThat(after.acceptedBodies()).containsExactly("\"1\"", "\"2\"");
            assertThat(attemptsOfFailed(to)).isEqualTo("1");

            hurry(to, "state = 'FAILED'", "status = 'FAILED'");
            await().until(() -> after.accepted().size() == 6);
            assertThat(after.acceptedBodies().subList(2, 6)).containsExactly("\"1 fails\"", "\"2\"", "\"3\"", "\"4\"");

            hurry(to, "state = 'SCHEDULED'", "status = 'PENDING'");
            await().until(() -> after.accepted().size() == 7);
            assertThat(after.acceptedBodies().get(6)).isEqualTo("\"scheduled\"");

            assertThat(waiting(to)).as("the dead letter and what it holds back").isEqualTo("3");
            retryDead(to);
            await().until(() -> after.accepted().size() == 10);
            assertThat(after.acceptedBodies().subList(7, 10)).containsExactly("\"1 dies\"", "\"2\"", "\"3\"");
            await().until(() -> waiting(to).equals("0"));
        }
    }

    /** Unfinished events that have been looked at: beside the log, or in a state of their own. */
    private String waiting(OutboxLayout layout) {
        return database()
                .one(
                        layout.mode() == OutboxMode.LOG
                                ? "select count(*) from outbox_parked"
                                : "select count(*) from outbox where status not in ('PUBLISHED', 'LOG', 'SENDING')");
    }

    private String attemptsOfFailed(OutboxLayout layout) {
        return database()
                .one(
                        layout.mode() == OutboxMode.LOG
                                ? "select attempts from outbox_parked where state = 'FAILED'"
                                : "select attempts from outbox where status = 'FAILED'");
    }

    @ParameterizedTest
    @MethodSource("changes")
    void eventsWhoseDestinationTakesNothingStillWaitForIt(OutboxLayout from, LayoutRequest request) {
        TestDatabase outbox = outbox(from);
        RecordingPublisher before = BusyOutbox.answering(body -> body.contains("blocked")
                ? new PublishResult.Blocked("a-topic", "missing", "There is none.")
                : new PublishResult.Accepted());
        insert("closed", "1 blocked");
        insert("closed", "2");
        insert("early", "done");
        try (Relay relay = BusyOutbox.relay(outbox, "before", before)) {
            relay.start();
            String blocked = from.mode() == OutboxMode.LOG
                    ? "select 1 from outbox_parked where state = 'BLOCKED'"
                    : "select 1 from outbox where status = 'BLOCKED'";
            await().until(() ->
                    before.accepted().size() == 1 && !outbox.column(blocked).isEmpty());
        }

        alter(request);

        String of = request == CLAIM
                ? "select blocked_by from outbox where status = 'BLOCKED' order by id limit 1"
                : "select destination from outbox_parked where state = 'BLOCKED' order by outbox_id limit 1";
        assertThat(outbox.one(of)).isEqualTo("a-topic");
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(after, () -> after.accepted().size() == 2);
        assertThat(after.acceptedBodies()).containsExactly("\"1 blocked\"", "\"2\"");
    }

    private void hurry(OutboxLayout layout, String parked, String row) {
        database()
                .execute(
                        layout.mode() == OutboxMode.LOG
                                ? "update outbox_parked set next_attempt_at = now() where " + parked
                                : "update outbox set next_attempt_at = now() where next_attempt_at is not null and "
                                        + row);
    }

    private void retryDead(OutboxLayout layout) {
        if (layout.mode() == OutboxMode.LOG) {
            database().execute("update outbox_parked set state = 'RETRY' where state = 'DEAD'");
        } else {
            OutboxAdmin.builder(database().dataSource()).build().retry(DeadLetterSelection.all(), "ann");
        }
    }

    @Test
    void whatHadToGoBeforeAFailedEventStillDoes() {
        TestDatabase outbox = outbox(OutboxLayout.claim());
        insert("a", "1");
        insert("a", "2 fails");
        insert("a", "3");
        // A relay has heard of the second and not of the first.
        outbox.execute("update outbox set status = 'FAILED', attempts = 2, next_attempt_at = now() where id = 2");

        alter(LOG);

        RecordingPublisher after = RecordingPublisher.acceptingAll();
        try (Relay relay = BusyOutbox.relay(outbox, "after", after)) {
            relay.start();
            await().until(() -> after.accepted().size() == 3);
            assertThat(after.acceptedBodies()).containsExactly("\"1\"", "\"2 fails\"", "\"3\"");
        }
    }

    @Test
    void failedEventWhoseRowWasDeletedGetsItBack() {
        TestDatabase outbox = outbox(OutboxLayout.log(4));
        RecordingPublisher before = BusyOutbox.answering(body ->
                body.contains("fails") ? new PublishResult.Rejected("not now", false) : new PublishResult.Accepted());
        insert("a", "1 fails");
        insert("a", "2");
        try (Relay relay = BusyOutbox.relay(outbox, "before", before)) {
            relay.start();
            await().until(() -> waiting(OutboxLayout.log(4)).equals("2"));
        }
        outbox.execute("delete from outbox where id = 1");
        outbox.execute("update outbox_parked set next_attempt_at = now() where outbox_id = 1");

        alter(CLAIM);

        RecordingPublisher after = RecordingPublisher.acceptingAll();
        try (Relay relay = BusyOutbox.relay(outbox, "after", after)) {
            relay.start();
            await().until(() -> after.accepted().size() == 2);
            assertThat(after.acceptedBodies()).containsExactly("\"1 fails\"", "\"2\"");
        }
    }

    @Test
    void deliveredRowsOfALogArePublishedInClaimModeAndDeadOnesCanBeSentAgain() {
        TestDatabase outbox = outbox(OutboxLayout.log(4));
        RecordingPublisher before = BusyOutbox.answering(body ->
                body.contains("dies") ? new PublishResult.Rejected("never", true) : new PublishResult.Accepted());
        insert("a", "1");
        insert("b", "dies");
        deliver(
                before,
                () -> before.accepted().size() == 1
                        && outbox.one("select count(*) from outbox_dead_letter").equals("1"));
        // As after 'continue': nothing but the letter is left of it.
        outbox.execute("delete from outbox_parked");

        alter(CLAIM);

        assertThat(outbox.column("select status from outbox order by id")).containsExactly("PUBLISHED", "DEAD_LETTER");
        assertThat(outbox.one("select count(*) from outbox where published_at = created_at"))
                .isEqualTo("1");
        retryDead(OutboxLayout.claim());
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(after, () -> after.accepted().size() == 1);
        assertThat(after.acceptedBodies()).containsExactly("\"dies\"");
    }

    @Test
    void deadRowOfClaimModeIsALetterAndNothingElseInALog() {
        TestDatabase outbox = outbox(OutboxLayout.claim());
        insert("a", "dead");
        insert("a", "next");
        outbox.execute("update outbox set status = 'DEAD_LETTER', last_error = 'too bad' where id = 1");

        alter(LOG);

        assertThat(outbox.one("select outbox_id || ' ' || error_class || ' ' || reason from outbox_dead_letter"))
                .isEqualTo("1 no-letter too bad");
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(after, () -> after.accepted().size() == 1);
        assertThat(after.acceptedBodies()).containsExactly("\"next\"");
    }

    /** Its id is far below the marks that cursors had left, and its transaction, since the change, above them. */
    @ParameterizedTest
    @MethodSource("changes")
    void lateCommitFarBelowTheSequenceIsFound(OutboxLayout from, LayoutRequest request) throws Exception {
        TestDatabase outbox = outbox(from);
        RecordingPublisher before = RecordingPublisher.acceptingAll();
        try (Connection late = outbox.transaction()) {
            execute(late, insertion("late", "late", 0));
            outbox.execute("select setval(pg_get_serial_sequence('outbox', 'id'), 1000000)");
            for (int i = 0; i < 30; i++) {
                insert("key" + i % 7, "early");
            }
            deliver(before, () -> before.accepted().size() == 30);
            insert("fresh", "fresh");
            late.commit();
        }

        alter(request);

        RecordingPublisher after = RecordingPublisher.acceptingAll();
        deliver(after, () -> after.accepted().size() == 2);
        assertThat(after.acceptedBodies()).containsExactlyInAnyOrder("\"late\"", "\"fresh\"");
    }

    @ParameterizedTest
    @MethodSource("changes")
    void whatIsWrittenAndNotCommittedDuringTheChangeComesLater(OutboxLayout from, LayoutRequest request)
            throws Exception {
        TestDatabase outbox = outbox(from);
        insert("a", "1");
        boolean defaultChanges = request.mode() != null;
        List<String> after;
        try (Connection open = outbox.transaction();
                Connection shorter = outbox.transaction()) {
            CompletableFuture<Void> change = CompletableFuture.runAsync(() -> LayoutChange.builder(outbox.dataSource())
                    .progress(line -> {
                        progress.add(line);
                        // The index waits for those that have begun before it.
                        if (line.startsWith("takes") || line.startsWith("changes")) {
                            execute(open, insertion("a", "2", 0));
                            execute(shorter, insertion("b", "b", 0));
                            // A later one has ended: the open one is no longer the latest of all.
                            outbox.execute("select pg_current_xact_id()");
                        }
                        if (line.startsWith("waits for")) {
                            commit(open);
                        }
                        if (line.startsWith("waits for") || line.startsWith("gives")) {
                            commit(shorter);
                        }
                    })
                    .build()
                    .alter(request, "ann"));
            if (!defaultChanges) {
                // Relays may read before the old index can be dropped, which waits for this transaction.
                await().until(() -> List.copyOf(progress).contains("relays may start again"));
                RecordingPublisher first = RecordingPublisher.acceptingAll();
                deliver(first, () -> first.accepted().size() == 2);
                assertThat(first.acceptedBodies()).containsExactlyInAnyOrder("\"1\"", "\"b\"");
                open.commit();
            }
            change.join();
            after = defaultChanges ? List.of("\"1\"", "\"2\"", "\"b\"") : List.of("\"2\"");
        }
        insert("a", "3");
        List<String> expected = new ArrayList<>(after);
        expected.add("\"3\"");
        RecordingPublisher second = RecordingPublisher.acceptingAll();
        deliver(second, () -> second.accepted().size() >= expected.size());
        assertThat(second.acceptedBodies()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(second.acceptedBodies()).containsSubsequence("\"2\"", "\"3\"");
        if (defaultChanges) {
            assertThat(progress).anyMatch(line -> line.matches("waits for process \\d+ \\(.*idle in transaction.*"));
        }
    }

    // ---- when it does not go well

    @ParameterizedTest
    @MethodSource("changes")
    void changeThatDiesAnywhereIsFinishedByTheNext(OutboxLayout from, LayoutRequest request) {
        TestDatabase outbox = outbox(from);
        RecordingPublisher before = BusyOutbox.answering(body ->
                body.contains("fails") ? new PublishResult.Rejected("not now", false) : new PublishResult.Accepted());
        insert("closed", "1 fails");
        insert("closed", "2");
        for (int i = 0; i < 5; i++) {
            insert("key" + i, "0");
        }
        try (Relay relay = BusyOutbox.relay(outbox, "before", before)) {
            relay.start();
            await().until(() -> before.accepted().size() == 5
                    && outbox.one("select (select count(*) from outbox_parked)"
                                    + " + (select count(*) from outbox where status in ('FAILED', 'HELD'))")
                            .equals("2"));
        }
        for (int i = 0; i < 10; i++) {
            insert("key" + i % 5, Integer.toString(1 + i / 5));
        }
        int runs = 0;
        boolean done = false;
        while (!done) {
            FailingConnections failing = new FailingConnections(outbox.dataSource(), runs);
            try {
                LayoutChange.builder(failing.dataSource()).chunk(3).build().alter(request, "ann");
                done = !failing.hasFailed();
            } catch (PostriderException e) {
                assertThat(failing.hasFailed()).as(e.toString()).isTrue();
            }
            runs++;
        }
        System.out.println(runs + " runs");

        assertThat(outbox.one("select count(*) from outbox_settings where name like 'changing%' or name like 'later%'"))
                .isEqualTo("0");
        assertThat(outbox.one("select count(*) from outbox_audit where action = 'alter'"))
                .isEqualTo("1");
        RecordingPublisher after = RecordingPublisher.acceptingAll();
        OutboxLayout to = request.from(from);
        try (Relay relay = BusyOutbox.relay(outbox, "after", after)) {
            relay.start();
            await().until(() -> after.accepted().size() == 10);
            hurry(to, "state = 'FAILED'", "status = 'FAILED'");
            await().until(() -> after.accepted().size() == 12);
        }
        for (int i = 0; i < 5; i++) {
            String key = "key" + i;
            assertThat(after.accepted().stream()
                            .filter(event -> event.aggregateId().equals(key))
                            .map(event -> event.payload().text()))
                    .containsExactly("\"1\"", "\"2\"");
        }
        assertThat(after.acceptedBodies().subList(10, 12)).containsExactly("\"1 fails\"", "\"2\"");
        assertThat(indexes(outbox)).containsExactlyElementsOf(indexesOfNew(to));
    }

    private static List<String> indexes(TestDatabase outbox) {
        return outbox.column("select replace(indexdef, 'public.', '') from pg_indexes where tablename = 'outbox'"
                + " order by indexname");
    }

    private static List<String> indexesOfNew(OutboxLayout layout) {
        try (TestDatabase fresh = TestDatabase.withOutbox(layout)) {
            return indexes(fresh);
        }
    }

    @Test
    void indexThatWasLeftInvalidIsBuiltAgain() throws Exception {
        TestDatabase outbox = outbox(OutboxLayout.log(4));
        insert("a", "1");
        try (Connection blocker = outbox.transaction();
                Connection builder = outbox.dataSource().getConnection()) {
            execute(blocker, "lock table outbox in row exclusive mode");
            execute(builder, "set lock_timeout = '200ms'");
            assertThatThrownBy(() -> execute(
                            builder,
                            "create index concurrently outbox_shard_1 on outbox"
                                    + " (((key_hash & 9223372036854775807) % 1), id) where status = 'LOG'"))
                    .isInstanceOf(AssertionError.class);
            execute(builder, "reset lock_timeout");
        }
        assertThat(outbox.one("select indisvalid from pg_index where indexrelid = 'outbox_shard_1'::regclass"))
                .isEqualTo("f");

        alter(ONE);

        assertThat(indexes(outbox)).containsExactlyElementsOf(indexesOfNew(OutboxLayout.log(1)));
        assertThat(outbox.one("select bool_and(indisvalid) from pg_index where indrelid = 'outbox'::regclass"))
                .isEqualTo("t");
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nothingIsChangedWhileARelayIsAlive(OutboxLayout from, LayoutRequest request) {
        TestDatabase outbox = outbox(from);
        try (Relay relay = BusyOutbox.relay(outbox, "busy", RecordingPublisher.acceptingAll())) {
            relay.start();
            assertThatThrownBy(() -> alter(request))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("busy#")
                    .hasMessageContaining("Nothing was changed.");
        }
        assertThat(outbox.one("select value from outbox_settings where name = 'mode'"))
                .isEqualTo(from.mode().label());
        alter(request);
    }

    @Test
    void noRelayStartsBeforeAChangeIsFinishedAndNoOtherChangeBegins() {
        TestDatabase outbox = outbox(OutboxLayout.log(4));
        assertThatThrownBy(() -> LayoutChange.builder(outbox.dataSource())
                        .progress(line -> {
                            if (line.startsWith("begins new")) {
                                throw new PostriderException("killed");
                            }
                        })
                        .build()
                        .alter(ONE, "ann"))
                .hasMessage("killed");

        try (Relay relay = BusyOutbox.relay(outbox, "eager", RecordingPublisher.acceptingAll())) {
            assertThatThrownBy(relay::start)
                    .isInstanceOf(PostriderException.class)
                    .hasMessage("Outbox outbox is being changed; run 'postrider alter --shards 1' again to finish it.");
        }
        assertThatThrownBy(() -> alter(CLAIM)).hasMessageContaining("'postrider alter --shards 1'");
        alter(LayoutRequest.NOTHING);
        assertThat(outbox.one("select value from outbox_settings where name = 'shards'"))
                .isEqualTo("1");
        assertThat(outbox.column("select action || ': ' || selector || ' by ' || actor from outbox_audit"))
                .containsExactly("alter: log, 4 shards, at-least-once -> log, 1 shard, at-least-once by ann");
    }

    @Test
    void requestsThatMakeNoSenseAreRefused() {
        outbox(OutboxLayout.claim());
        assertThatThrownBy(() -> alter(SIXTEEN)).hasMessageContaining("Claim mode has no shards");
        assertThatThrownBy(() -> alter(new LayoutRequest(null, null, dev.postrider.Delivery.EXACTLY_ONCE)))
                .hasMessageContaining("choose log mode");
        alter(CLAIM);
        assertThat(database().one("select count(*) from outbox_audit")).isEqualTo("0");
    }

    // ---- tools

    private TestDatabase outbox(OutboxLayout layout) {
        database = TestDatabase.withOutbox(layout);
        return database;
    }

    private TestDatabase database() {
        if (database == null) {
            throw new IllegalStateException("no outbox");
        }
        return database;
    }

    private void alter(LayoutRequest request) {
        LayoutChange.builder(database().dataSource())
                .progress(progress::add)
                .lockPatience(Duration.ofSeconds(30))
                .chunk(3)
                .build()
                .alter(request, "ann");
    }

    private void deliver(RecordingPublisher publisher, java.util.concurrent.Callable<Boolean> until) {
        try (Relay relay = BusyOutbox.relay(database(), "relay", publisher)) {
            relay.start();
            await().atMost(Duration.ofSeconds(20)).until(until);
        }
    }

    private void insert(String key, String body) {
        database().execute(insertion(key, body, 0));
    }

    private void schedule(String key, String body, int seconds) {
        database().execute(insertion(key, body, seconds));
    }

    private static String insertion(String key, String body, int seconds) {
        return "insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                + " values ('acme.order.paid.v1', 'order', '" + key + "', '\"" + body + "\"', "
                + (seconds == 0 ? "null" : "now() + interval '" + seconds + " s'") + ")";
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
