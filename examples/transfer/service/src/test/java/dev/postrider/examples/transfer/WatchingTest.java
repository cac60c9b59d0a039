package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.examples.Requirement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What operations are told when there is too much of something. The thresholds are those of application.yml. */
class WatchingTest extends ShortenedFiguresTest {

    @Autowired
    OutboxAdmin admin;

    @AfterEach
    void nothingWaits() {
        jdbc.sql("delete from transfer_events where aggregate_id like 'watched-%'")
                .update();
        admin.resume("olga");
    }

    /** Whoever pauses is reported by the same look that counts, so what has not been reported then was not too much. */
    @Test
    @Requirement("T11")
    void moreThanTenThousandPendingOrOneHundredFailedAreReported() {
        // What other tests have refused is delivered first.
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> jdbc.sql(
                                        "select count(*) from transfer_outbox where status not in ('PUBLISHED', 'DEAD_LETTER')")
                                .query(Integer.class)
                                .single()
                        == 0);
        write("PENDING", 9_900);
        write("FAILED", 100);
        admin.pause("olga", "so that there is a report");
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> !OPERATIONS.alerts("paused").isEmpty());
        assertThat(OPERATIONS.alerts("pending")).describedAs("exactly 10 000").isEmpty();
        assertThat(OPERATIONS.alerts("failed")).describedAs("exactly 100").isEmpty();

        write("FAILED", 1);

        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> !OPERATIONS.alerts("pending").isEmpty()
                        && !OPERATIONS.alerts("failed").isEmpty());
        assertThat(OPERATIONS.alerts("pending").get(0).path("title").asString()).contains("10001");
        assertThat(OPERATIONS.alerts("failed").get(0).path("title").asString()).contains("101");
    }

    /** They are not due, and no relay takes them. */
    private void write(String status, int events) {
        jdbc.sql("""
                insert into transfer_events (event_type, aggregate_type, aggregate_id, payload, status, next_attempt_at)
                select 'TransferCompleted', 'Transfer', 'watched-' || gen_random_uuid(), '{}', ?, now() + interval '1 day'
                from generate_series(1, ?)
                """).params(status, events).update();
    }
}
