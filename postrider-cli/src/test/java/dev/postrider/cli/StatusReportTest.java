package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.EventStatus;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class StatusReportTest {
    private static final OutboxStatus BUSY = new OutboxStatus(
            "claim",
            Map.of(EventStatus.PENDING, 12L, EventStatus.PUBLISHED, (long) OutboxStatus.COUNT_CAP),
            Duration.ofMillis(3_250),
            List.of(
                    new OutboxStatus.RelayLease("relay-1#abc", true, 500, Duration.ofSeconds(3_725), "closed"),
                    new OutboxStatus.RelayLease("relay-2#def", false, 7, Duration.ofSeconds(9), "open")),
            List.of(new OutboxStatus.OpenTransaction(4711, Duration.ofSeconds(61), "idle in transaction")));

    private static final OutboxStatus IDLE = new OutboxStatus("claim", Map.of(), null, List.of(), List.of());

    @Test
    void textIsAligned() {
        assertThat(StatusReport.text(OutboxTable.DEFAULT, BUSY).lines())
                .containsExactly(
                        "Outbox outbox, mode claim",
                        "",
                        "  EVENTS",
                        "  PENDING                12",
                        "  SENDING                 0",
                        "  PUBLISHED      1,000,000+",
                        "  FAILED                  0",
                        "  HELD                    0",
                        "  DEAD_LETTER             0",
                        "  oldest unsent       3.3 s",
                        "",
                        "  RELAY        STATE  CIRCUIT  SENDING             UP",
                        "  relay-1#abc  alive  closed       500  1 h 2 min 5 s",
                        "  relay-2#def  dead   open           7          9.0 s",
                        "",
                        "  OPEN WRITE TRANSACTION  STATE                 OPEN FOR",
                        "  server process 4711     idle in transaction  1 min 1 s");
    }

    @Test
    void idleOutboxSaysThatNothingRuns() {
        assertThat(StatusReport.text(OutboxTable.DEFAULT, IDLE)).contains("No relay is running.", "oldest unsent  -");
    }

    @Test
    void jsonHasEveryStateAndAllFields() {
        Map<String, Object> json = StatusReport.json(OutboxTable.DEFAULT, BUSY);
        assertThat(json)
                .containsOnlyKeys("table", "mode", "counts", "oldestUnsentSeconds", "relays", "openTransactions")
                .containsEntry("mode", "claim")
                .containsEntry("oldestUnsentSeconds", 3.25);
        assertThat(json.get("counts"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .hasSize(EventStatus.values().length)
                .containsEntry("PENDING", 12L)
                .containsEntry("DEAD_LETTER", 0L);
        assertThat(StatusReport.json(OutboxTable.DEFAULT, IDLE)).containsEntry("oldestUnsentSeconds", null);
    }
}
