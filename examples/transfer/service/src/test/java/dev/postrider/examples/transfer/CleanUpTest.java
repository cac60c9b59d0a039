package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** It becomes two o'clock in the morning, in the time zone of the service. */
class CleanUpTest extends ShortenedFiguresTest {

    @Test
    @Requirement("T10")
    void whatWasPublishedMoreThanSevenDaysAgoIsDeletedAtTwoOClockLocalTime() {
        await().atMost(TransferServiceTest.PATIENCE).until(() -> !lastRun().isBefore(twoOClock));

        assertThat(jdbc.sql(
                                "select aggregate_id from transfer_outbox where aggregate_id like 'published-%' order by created_at")
                        .query(String.class)
                        .list())
                .containsExactly("published-6-days-ago", "published-1-days-ago");
    }

    /** When the last completed clean-up began. Before two o'clock it is when the database was made. */
    private Instant lastRun() {
        return Instant.parse(jdbc.sql("select value from transfer_events_settings where name = 'retention_last_run'")
                .query(String.class)
                .single());
    }
}
