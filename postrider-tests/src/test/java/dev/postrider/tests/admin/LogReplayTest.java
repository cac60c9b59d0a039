package dev.postrider.tests.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.ReplayScope.OfAggregate;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events of a log that were sent, sent once more: the cursors say which. */
class LogReplayTest {
    private static final OfAggregate A = new OfAggregate("order", "a");
    private static final ReplayScope EVERYTHING = new ReplayScope.WrittenBetween(
            Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("2100-01-01T00:00:00Z"));

    private static TestDatabase database;
    private static LogTables log;

    private final OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();

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

    @Test
    void historyOfAnAggregateIsWhatLiesBehindTheCursor() {
        written("a", 1, 30);
        written("b", 31, 32);
        log.readAll();
        written("a", 33, 34);

        assertThat(replay(A)).isEqualTo(new ReplayReport(30, 30, true));

        assertThat(publisher.acceptedBodies()).containsExactlyElementsOf(numbers(1, 30));
        assertThat(publisher.accepted()).allMatch(event -> event.headers().containsKey(ReplayRequest.HEADER));
        assertThat(publisher.accepted().stream().map(event -> event.id().toString()))
                .containsExactlyElementsOf(database.column("select event_id from outbox where id <= 30 order by id"));
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "replay", "aggregate order/a", 30L));
    }

    @Test
    void everyShardHasItsOwnCursor() {
        for (int n = 1; n <= 20; n++) {
            written("key-" + n, n, n);
        }
        log.readAll();
        for (int n = 21; n <= 40; n++) {
            written("key-" + n, n, n);
        }
        database.execute("insert into outbox_cursor (shard, seq, lo, owner, system_id, timeline)"
                + " select shard, seq + 1, pg_current_snapshot(), 'test', system_id, timeline from outbox_cursor"
                + " where shard = 2 order by seq desc limit 1");

        assertThat(replay(EVERYTHING).complete()).isTrue();

        assertThat(publisher.acceptedBodies())
                .containsExactlyElementsOf(database.column("select payload from outbox"
                        + " where id <= 20 or (key_hash & 9223372036854775807) % 4 = 2 order by id"))
                .hasSizeBetween(21, 39);
    }

    @Test
    void ofAnOpenWindowTheFirstPartWasSent() throws SQLException {
        written("a", 1, 1);
        try (Connection late = database.transaction();
                Statement statement = late.createStatement()) {
            statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', 'a', '2')");
            log.readAll();
            late.commit();
        }
        written("a", 3, 6);
        log.readUpTo(4);
        written("a", 7, 7);

        assertThat(admin.extent(ReplayRequest.of(A)).events()).isEqualTo(4);
        replay(A);
        replay(EVERYTHING);

        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3", "4", "1", "2", "3", "4");
    }

    @Test
    void eventOfALateCommitWasNotSentThoughItsIdIsLower() throws SQLException {
        try (Connection late = database.transaction();
                Statement statement = late.createStatement()) {
            statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', 'a', '1')");
            written("a", 2, 3);
            log.readAll();
            late.commit();
        }

        replay(A);

        assertThat(publisher.acceptedBodies()).containsExactly("2", "3");
    }

    @Test
    void whatFailedOrDiedOrWasDiscardedWasNotSent() {
        written("a", 1, 6);
        log.readAll();
        log.fail(1);
        log.hold(2, true);
        log.bury(3);
        log.bury(5);
        admin.discard(DeadLetterSelection.ofIds(List.of(5L)), "me");

        replay(A);
        replay(EVERYTHING);

        assertThat(publisher.acceptedBodies()).containsExactly("4", "6", "4", "6");
    }

    @Test
    void whatWasPublishedBeforeTheOutboxBecameALogWasSent() {
        written("a", 1, 4);
        database.execute("update outbox set status = case id when 1 then 'PUBLISHED' when 2 then 'DEAD_LETTER'"
                + " when 3 then 'PENDING' else 'LOG' end");

        replay(A);

        assertThat(publisher.acceptedBodies()).containsExactly("1");
    }

    @Test
    void timesAreThoseAtWhichEventsWereWritten() {
        written("a", 1, 2);
        written("b", 3, 4);
        written("c", 5, 6);
        database.execute("update outbox set created_at = timestamptz '2026-01-01 00:00:00Z' + id * interval '1 hour'");
        log.readAll();
        ReplayScope between = new ReplayScope.WrittenBetween(
                Instant.parse("2026-01-01T02:00:00Z"), Instant.parse("2026-01-01T06:00:00Z"));

        assertThat(admin.extent(ReplayRequest.of(between)).events()).isEqualTo(4);
        assertThat(replay(between)).isEqualTo(new ReplayReport(4, 5, true));

        assertThat(publisher.acceptedBodies()).containsExactly("2", "3", "4", "5");
    }

    @Test
    void moreThanAWindowGoesWindowByWindow() {
        written("a", 1, 1_201);
        log.readAll();

        assertThat(replay(A)).isEqualTo(new ReplayReport(1_201, 1_201, true));
        assertThat(publisher.acceptedBodies()).containsExactlyElementsOf(numbers(1, 1_201));
    }

    @Test
    void replayGoesOnAfterAnId() {
        written("a", 1, 5);
        log.readAll();

        assertThat(admin.replay(new ReplayRequest(A, null, 3), publisher, () -> false, "me"))
                .isEqualTo(new ReplayReport(2, 5, true));
        assertThat(publisher.acceptedBodies()).containsExactly("4", "5");
    }

    @Test
    void rowThatWasChangedIsNotSentNorWhatComesAfterIt() {
        written("a", 1, 3);
        log.readAll();
        database.execute("update outbox set content_hash = 'other' where id = 2");

        assertThatThrownBy(() -> replay(A))
                .isInstanceOf(ReplayStoppedException.class)
                .hasMessageContaining("Row 2 was changed")
                .hasMessageContaining("--after-id 1");
        assertThat(publisher.acceptedBodies()).containsExactly("1");
    }

    @Test
    void whatIsSentMeanwhileHasNoPartInIt() {
        written("a", 1, 2);
        log.readAll();
        List<String> bodies = new ArrayList<>();
        RecordingPublisher writing = RecordingPublisher.answering(event -> {
            bodies.add(event.payload().text());
            if (bodies.size() < 10) {
                written("a", bodies.size() + 100, bodies.size() + 100);
                log.readAll();
            }
            return new PublishResult.Accepted();
        });

        assertThat(admin.replay(ReplayRequest.of(A), writing, () -> false, "me").sent())
                .isEqualTo(2);
    }

    // ---- the small language of this test

    private ReplayReport replay(ReplayScope scope) {
        return admin.replay(ReplayRequest.of(scope), publisher, () -> false, "ann@desk");
    }

    private static void written(String id, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.paid.v1', 'order', '" + id + "', to_json(n)"
                + " from generate_series(" + from + ", " + to + ") n");
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(String::valueOf).toList();
    }
}
