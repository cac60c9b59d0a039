package dev.postrider.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Delivery;
import dev.postrider.EventStatus;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.command.Colours;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class StatusReportTest {
    private static final OutboxStatus BUSY = new OutboxStatus(
            OutboxLayout.claim(),
            Map.of(EventStatus.PENDING, 12L, EventStatus.PUBLISHED, (long) OutboxStatus.COUNT_CAP),
            0,
            Duration.ofMillis(3_250),
            List.of(),
            List.of(
                    new OutboxStatus.RelayLease("relay-1#abc", true, 500, Duration.ofSeconds(3_725), "closed"),
                    new OutboxStatus.RelayLease("relay-2#def", false, 7, Duration.ofSeconds(9), "open")),
            List.of(new OutboxStatus.OpenTransaction(4711, null, Duration.ofSeconds(61), "idle in transaction")));

    private static final OutboxStatus BUSY_LOG = new OutboxStatus(
            OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE),
            Map.of(EventStatus.PENDING, 500_012L, EventStatus.HELD, 3L),
            7,
            Duration.ofMillis(3_250),
            List.of(
                    new OutboxStatus.Shard(
                            0, "relay-1#abc", 2, 12, false, Duration.ofMillis(3_250), Duration.ofMillis(200)),
                    new OutboxStatus.Shard(1, null, 0, 500_000, true, null, Duration.ofSeconds(90))),
            List.of(new OutboxStatus.RelayLease("relay-1#abc", true, 0, Duration.ofSeconds(9), "open")),
            List.of(
                    new OutboxStatus.OpenTransaction(4711, null, Duration.ofSeconds(61), "active"),
                    new OutboxStatus.OpenTransaction(null, "xa-17", Duration.ofSeconds(5), "prepared")));

    private static final OutboxStatus IDLE =
            new OutboxStatus(OutboxLayout.claim(), Map.of(), 0, null, List.of(), List.of(), List.of());

    @Test
    void textIsAligned() {
        assertThat(StatusReport.text(OutboxTable.DEFAULT, BUSY, Colours.none()).lines())
                .containsExactly(
                        "Outbox outbox, mode claim, delivery at-least-once",
                        "",
                        "  EVENTS             NUMBER",
                        "  PENDING                12",
                        "  SENDING                 0",
                        "  PUBLISHED      1,000,000+",
                        "  FAILED                  0",
                        "  HELD                    0",
                        "  BLOCKED                 0",
                        "  DEAD_LETTER             0",
                        "  oldest unsent       3.3 s",
                        "",
                        "  RELAY        STATE  CIRCUIT  EVENTS IT SENDS    RUNNING FOR",
                        "  relay-1#abc  alive  closed               500  1 h 2 min 5 s",
                        "  relay-2#def  dead   open                   7          9.0 s",
                        "",
                        "  OPEN WRITE TRANSACTION  STATE                 OPEN FOR",
                        "  server process 4711     idle in transaction  1 min 1 s");
    }

    @Test
    void idleOutboxSaysThatNothingRuns() {
        assertThat(StatusReport.text(OutboxTable.DEFAULT, IDLE, Colours.none()))
                .contains("No relay is running.", "oldest unsent       -");
    }

    @Test
    void pauseIsShownWithItsActorTimeAndReason() {
        OutboxStatus paused = new OutboxStatus(
                OutboxLayout.claim(),
                Map.of(),
                0,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                OutboxStatus.Unread.NONE,
                List.of(),
                new OutboxPause("alice", Instant.parse("2026-03-01T12:00:00Z"), "consumers move"));

        assertThat(StatusReport.text(OutboxTable.DEFAULT, paused, Colours.none())
                        .lines())
                .startsWith(
                        "Outbox outbox, mode claim, delivery at-least-once",
                        "",
                        "Paused by alice since 2026-03-01T12:00:00Z: consumers move.",
                        "'postrider resume' goes on.");
        assertThat(StatusReport.json(OutboxTable.DEFAULT, paused))
                .containsEntry(
                        "paused", Map.of("by", "alice", "since", "2026-03-01T12:00:00Z", "reason", "consumers move"));
    }

    @Test
    void destinationsThatTakeNothingAreListedWithWhatWaitsForThem() {
        OutboxStatus blocked = new OutboxStatus(
                OutboxLayout.claim(),
                Map.of(),
                0,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(new OutboxStatus.BlockedDestination(
                        "order-events", 1_200, Duration.ofSeconds(61), "There is no topic order-events.")),
                OutboxStatus.Unread.NONE,
                List.of(),
                null);

        assertThat(StatusReport.text(OutboxTable.DEFAULT, blocked, Colours.none()))
                .contains(
                        "  BLOCKED DESTINATION  WAITING      SINCE  REASON",
                        "  order-events           1,200  1 min 1 s  There is no topic order-events.");
        assertThat(StatusReport.json(OutboxTable.DEFAULT, blocked))
                .containsEntry(
                        "blockedDestinations",
                        List.of(Map.of(
                                "name",
                                "order-events",
                                "events",
                                1_200L,
                                "sinceSeconds",
                                61.0,
                                "reason",
                                "There is no topic order-events.")));
    }

    @Test
    void withExactlyOnceAFailOverSaysThatItWasAtLeastOnceAndManyRowsAreAtLeastSoMany() {
        OutboxStatus status = new OutboxStatus(
                OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE),
                Map.of(),
                0,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new OutboxStatus.Unread(OutboxStatus.Unread.CAP, List.of(-7L, 5L)),
                List.of(
                        new OutboxStatus.FailOver(1, Duration.ofSeconds(61), 1, 2),
                        new OutboxStatus.FailOver(0, Duration.ofSeconds(62), 1, 2)),
                null);

        assertThat(StatusReport.text(OutboxTable.DEFAULT, status, Colours.none()))
                .contains(
                        "The database failed over 1 min 1 s ago (timeline 1 to 2). Shards that went on from the new server: 0, 1.",
                        "Delivery was at least once then, not exactly once",
                        "At least 1,000 rows have a status that relays in log mode do not look at",
                        "2 rows have ids that had been passed when they were written",
                        "where id in (-7, 5)");
    }

    @Test
    void jsonHasEveryStateAndAllFields() {
        Map<String, Object> json = StatusReport.json(OutboxTable.DEFAULT, BUSY);
        assertThat(json)
                .containsOnlyKeys(
                        "table",
                        "mode",
                        "shards",
                        "delivery",
                        "paused",
                        "counts",
                        "scheduled",
                        "oldestUnsentSeconds",
                        "blockedDestinations",
                        "unexpectedStatus",
                        "passedIds",
                        "failOvers",
                        "cursors",
                        "relays",
                        "replicationStream",
                        "openTransactions")
                .containsEntry("mode", "claim")
                .containsEntry("delivery", "at-least-once")
                .containsEntry("oldestUnsentSeconds", 3.25);
        assertThat(json.get("counts"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .hasSize(EventStatus.values().length)
                .containsEntry("PENDING", 12L)
                .containsEntry("DEAD_LETTER", 0L);
        assertThat(StatusReport.json(OutboxTable.DEFAULT, IDLE)).containsEntry("oldestUnsentSeconds", null);
    }

    @Test
    void textOfALogShowsItsShardsAndPreparedTransactions() {
        assertThat(StatusReport.text(OutboxTable.DEFAULT, BUSY_LOG, Colours.none())
                        .lines())
                .containsExactly(
                        "Outbox outbox, mode log, 2 shards, delivery exactly-once",
                        "",
                        "  EVENTS           NUMBER",
                        "  PENDING        500,012+",
                        "  PUBLISHED             0",
                        "  FAILED                0",
                        "  HELD                  3",
                        "  BLOCKED               0",
                        "  DEAD_LETTER           0",
                        "  scheduled             7",
                        "  oldest unsent     3.3 s",
                        "",
                        "  SHARD  RELAY        OWNER CHANGES  NOT YET READ  OLDEST OF THEM  NO PROGRESS FOR",
                        "      0  relay-1#abc              2            12           3.3 s            0.2 s",
                        "      1  none                     0      500,000+               -       1 min 30 s",
                        "",
                        "  RELAY        STATE  CIRCUIT  SHARDS IT READS  RUNNING FOR",
                        "  relay-1#abc  alive  open                   1        9.0 s",
                        "",
                        "  OPEN WRITE TRANSACTION  STATE      OPEN FOR",
                        "  server process 4711     active    1 min 1 s",
                        "  prepared as xa-17       prepared      5.0 s");
    }

    @Test
    void jsonOfALogHasItsCursors() {
        Map<String, Object> json = StatusReport.json(OutboxTable.DEFAULT, BUSY_LOG);

        assertThat(json)
                .containsEntry("mode", "log")
                .containsEntry("shards", 2)
                .containsEntry("delivery", "exactly-once")
                .containsEntry("scheduled", 7L);
        assertThat(json.get("cursors"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(2)
                .first(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("shard", 0)
                .containsEntry("owner", "relay-1#abc")
                .containsEntry("takeovers", 2L)
                .containsEntry("ahead", 12L)
                .containsEntry("oldestSeconds", 3.25)
                .containsEntry("unmovedSeconds", 0.2);
        assertThat(json.get("relays"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .first(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("shards", List.of(0));
        assertThat(json.get("openTransactions"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .last(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("pid", null)
                .containsEntry("gid", "xa-17");
    }
}
