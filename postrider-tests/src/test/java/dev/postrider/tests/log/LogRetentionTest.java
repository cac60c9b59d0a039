package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.store.postgres.PostgresStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.Refusals;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What retention deletes of a log, and what it must not. */
class LogRetentionTest {

    @Test
    void onlyWhatTheCursorHasPassedAndNothingRefersToIsDeleted() {
        try (LogOutbox outbox = new LogOutbox(2)) {
            RecordingPublisher publisher = RecordingPublisher.answering(event -> switch (event.aggregateId()) {
                case "failing" -> new PublishResult.Rejected("not yet", false);
                case "dead" -> new PublishResult.Rejected("never", true);
                default -> new PublishResult.Accepted();
            });
            Relay relay = outbox.start(
                    publisher, LogOutbox.settings("relay").retry(LogOutbox.retryAfter(Duration.ofHours(1), 3)));
            outbox.insert("fine", 1, 2, 3);
            outbox.insert("failing", 4, 5);
            outbox.insert("dead", 6);
            await().until(() -> outbox.ahead() == 0 && outbox.parked() == 2);
            relay.stop();
            outbox.insert("fine", 7);
            outbox.database().execute("update outbox set created_at = now() - interval '8 days'");
            outbox.insert("fine", 8);

            assertThat(delete(outbox)).isEqualTo(3);

            assertThat(outbox.database().column("select payload::text from outbox order by id"))
                    .as("followers of a failed event, dead letters, what is ahead, what is young")
                    .containsExactly("4", "5", "6", "7", "8");
        }
    }

    /** The newest cursor row may belong to a batch that the destination has not committed. */
    @Test
    void withExactlyOnceTheBatchBeforeTheNewestCounts() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1);
            appendCursor(outbox, 1);
            outbox.insert("a", 2);
            appendCursor(outbox, 2);
            outbox.database().execute("update outbox set created_at = now() - interval '8 days'");

            assertThat(delete(outbox)).isEqualTo(1);

            assertThat(outbox.database().column("select payload::text from outbox"))
                    .containsExactly("2");
        }
    }

    @Test
    void rowThatNoWindowHasMetStaysAndIsNoted() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1, 2, 3);
            passAll(outbox);
            outbox.database()
                    .execute("delete from outbox where id = 2;"
                            + " insert into outbox (id, event_type, aggregate_type, aggregate_id, payload)"
                            + " overriding system value values (2, 'acme.a.b.v1', 'a', 'a', '4')");
            passAll(outbox);
            outbox.database().execute("update outbox set created_at = now() - interval '8 days'");

            assertThat(delete(outbox)).isEqualTo(2);

            assertThat(outbox.database().column("select payload::text from outbox"))
                    .containsExactly("4");
            assertThat(outbox.database().one("select value from outbox_settings where name = 'passed_rows'"))
                    .startsWith("2:");
        }
    }

    /** The ids began anew: another row has the id now. */
    @Test
    void noteOfARowThatIsGoneKeepsNoOtherRow() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1, 2, 3);
            passAll(outbox);
            outbox.database()
                    .execute("update outbox set created_at = now() - interval '8 days';"
                            + " insert into outbox_settings (name, value) select 'passed_rows', '2:3,3:' || tx_id"
                            + " from outbox where id = 3");

            assertThat(delete(outbox)).isEqualTo(2);

            assertThat(outbox.database().column("select id from outbox")).containsExactly("3");
        }
    }

    /** Windows begin before all ids then: the rows are met. */
    @Test
    void markAboveTheEndOfTheSequenceSaysNothingAboutRows() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1, 2, 3);
            outbox.database().execute("select setval('outbox_id_seq', 100)");
            passAll(outbox);
            outbox.database().execute("select setval('outbox_id_seq', 10)");
            outbox.insert("a", 4);
            passAll(outbox);
            outbox.database().execute("update outbox set created_at = now() - interval '8 days'");

            assertThat(delete(outbox)).isEqualTo(4);
        }
    }

    @Test
    void oldEventsAreDeletedThoughNobodyCanLookForPassedRows() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            outbox.insert("a", 1, 2, 3);
            passAll(outbox);
            outbox.database()
                    .execute("update outbox set created_at = now() - interval '8 days';"
                            + " insert into outbox_settings (name, value) values"
                            + " ('retention_last_run', '2001-01-01T00:00:00Z'), ('passed_rows_looked_up_to', '2')");
            Refusals.byTrigger(
                    outbox.database(), "outbox_settings", "insert", "new.name = 'passed_rows_looked_up_to'", "P0001");

            try (Housekeeper housekeeper = housekeeper(outbox)) {
                housekeeper.start();

                await().until(() ->
                        outbox.database().one("select count(*) from outbox").equals("0"));
            }
        }
    }

    private static void passAll(LogOutbox outbox) {
        outbox.database()
                .execute("insert into outbox_cursor (shard, seq, lo, owner, system_id, timeline, sequence, floor)"
                        + " select c.shard, c.seq + 1, pg_current_snapshot(), c.owner, c.system_id, c.timeline,"
                        + " s.relfilenode::bigint, pg_sequence_last_value(s.oid)"
                        + " from outbox_cursor c join pg_class s on s.oid = 'outbox_id_seq'::regclass"
                        + " order by c.seq desc limit 1");
    }

    private static void appendCursor(LogOutbox outbox, int batch) {
        outbox.database()
                .execute("insert into outbox_cursor (shard, seq, lo, batch, owner, system_id, timeline)"
                        + " select shard, seq + 1, pg_current_snapshot(), " + batch + ", owner, system_id, timeline"
                        + " from outbox_cursor order by seq desc limit 1");
    }

    private static long delete(LogOutbox outbox) {
        try (Housekeeper housekeeper = housekeeper(outbox)) {
            return housekeeper.runOnce().deleted();
        }
    }

    private static Housekeeper housekeeper(LogOutbox outbox) {
        return new Housekeeper(
                "keeper",
                outbox.database().dataSource(),
                new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()),
                outbox.store(),
                HousekeepingSettings.builder()
                        .retention(Retention.ofPublished(Duration.ofDays(7)))
                        .chunkSize(2)
                        .pause(Duration.ZERO)
                        .build(),
                null);
    }
}
