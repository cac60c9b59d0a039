package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Relay;
import dev.postrider.housekeeping.CursorHistory;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What delivering leaves behind in the database: nothing in the outbox, little in the cursor. */
class LogFootprintTest {
    private static final int EVENTS = 5000;

    /** Where each row stands, who wrote it, and who has touched it since. */
    private static final String VERSIONS =
            "select md5(string_agg(ctid::text || ' ' || xmin || ' ' || xmax, ',' order by id)) from outbox";

    @Test
    void deliveryTouchesNoRowOfTheOutbox() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (LogOutbox outbox = new LogOutbox(4)) {
            outbox.insertMany(EVENTS, 100);
            String before = outbox.database().one(VERSIONS);

            outbox.start(publisher);
            await().until(outbox::isDone);

            assertThat(publisher.accepted()).hasSize(EVENTS);
            assertThat(outbox.database().one(VERSIONS)).isEqualTo(before);
            assertThat(Integer.parseInt(outbox.database().one("select count(*) from outbox_cursor")))
                    .as("rows of the cursor for " + EVENTS + " events")
                    .isLessThan(EVENTS / 20);
        }
    }

    @Test
    void idleRelayWritesNoCursor() {
        try (LogOutbox outbox = new LogOutbox(4)) {
            outbox.insertMany(10, 10);
            outbox.start(RecordingPublisher.acceptingAll());
            await().until(outbox::isDone);
            String rows = outbox.database().one("select count(*) from outbox_cursor");
            String number = outbox.database().one("select pg_current_xact_id()::text::bigint");

            // Others are busy, so that there is always a new snapshot to look at.
            await().until(() -> Long.parseLong(outbox.database().one("select pg_current_xact_id()::text::bigint"))
                    > Long.parseLong(number) + 10);

            assertThat(outbox.database().one("select count(*) from outbox_cursor"))
                    .isEqualTo(rows);
        }
    }

    @Test
    void thinnedHistoryKeepsTakeoversAndTheNewestRowOfEachShard() throws SQLException {
        try (LogOutbox outbox = new LogOutbox(2)) {
            for (int round = 0; round < 3; round++) {
                Relay relay = outbox.start(RecordingPublisher.acceptingAll(), LogOutbox.settings("relay-" + round));
                for (int n = 0; n < 5; n++) {
                    outbox.insertMany(20, 20);
                    await().until(outbox::isDone);
                }
                relay.stop();
            }
            List<String> newest = newest(outbox);
            outbox.database().execute("update outbox_cursor set at = date_trunc('minute', now()) - interval '2 hours'");
            int before = rows(outbox, "true");
            assertThat(rows(outbox, "fence")).isEqualTo(6);

            assertThat(thin(outbox, Duration.ofDays(1), Duration.ofDays(2)))
                    .as("all are young")
                    .isZero();
            assertThat(thin(outbox, Duration.ofHours(1), Duration.ofDays(2))).isEqualTo(before - rows(outbox, "true"));

            assertThat(rows(outbox, "fence")).as("takeovers").isEqualTo(6);
            assertThat(rows(outbox, "not fence"))
                    .as("the newest and one of that minute, in two shards")
                    .isEqualTo(4);
            assertThat(newest(outbox)).isEqualTo(newest);

            thin(outbox, Duration.ofMinutes(1), Duration.ofHours(1));
            assertThat(rows(outbox, "true")).isEqualTo(2);
            assertThat(newest(outbox)).isEqualTo(newest);

            RecordingPublisher last = RecordingPublisher.acceptingAll();
            outbox.insertMany(20, 20);
            outbox.start(last, LogOutbox.settings("last"));
            await().until(outbox::isDone);
            assertThat(last.accepted()).as("nothing is read twice").hasSize(20);
        }
    }

    /** Two hours ago and eight days ago there were a hundred rows each within one minute, besides the newest hundred. */
    @ParameterizedTest
    @CsvSource({"true, 1, 0", "false, 100, 0"})
    void historyIsThinnedUnlessThatIsSwitchedOff(boolean thinned, int ofTwoHoursAgo, int ofEightDaysAgo) {
        try (LogOutbox outbox = new LogOutbox(1)) {
            Relay before = outbox.start(RecordingPublisher.acceptingAll());
            outbox.insertMany(20, 20);
            await().until(outbox::isDone);
            before.stop();
            outbox.database().execute("""
                    update outbox_cursor set seq = seq + 1000, at = now();
                    insert into outbox_cursor (shard, seq, lo, hi, last_id, owner, system_id, timeline, at)
                    select c.shard, c.seq - n, c.lo, c.hi, c.last_id, c.owner, c.system_id, c.timeline,
                           case when n <= 250 then now() - interval '1 second'
                                else date_trunc('minute', now()) - case when n <= 350 then interval '2 hours' else interval '8 days' end end
                    from (select * from outbox_cursor order by seq desc limit 1) c, generate_series(50, 450) n
                    """);
            String newest = outbox.database().one("select max(seq) from outbox_cursor");

            Relay relay = Relay.builder(outbox.database().dataSource(), RecordingPublisher.acceptingAll())
                    .settings(LogOutbox.settings("relay").build())
                    .housekeeping(HousekeepingSettings.builder()
                            .cursorHistory(new CursorHistory(Duration.ofDays(7), thinned))
                            .build())
                    .build();
            try {
                relay.start();
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> rows(outbox, "at < now() - interval '7 days'") == ofEightDaysAgo);
                assertThat(rows(outbox, "at between now() - interval '3 hours' and now() - interval '1 hour'"))
                        .isEqualTo(ofTwoHoursAgo);
                assertThat(rows(outbox, "seq = " + newest)).isEqualTo(1);
            } finally {
                relay.stop();
            }
        }
    }

    private static int thin(LogOutbox outbox, Duration keepAll, Duration keepSome) throws SQLException {
        try (Connection connection = outbox.database().dataSource().getConnection()) {
            return outbox.store().thinCursors(connection, new LogStore.History(keepAll, keepSome, 1));
        }
    }

    private static int rows(LogOutbox outbox, String which) {
        return Integer.parseInt(outbox.database().one("select count(*) from outbox_cursor where " + which));
    }

    private static List<String> newest(LogOutbox outbox) {
        return outbox.database()
                .column("select shard || ' ' || max(seq) from outbox_cursor group by shard order by shard");
    }
}
