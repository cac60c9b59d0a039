package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.examples.transfer.Journal.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What the schedule of retries looks like in a {@link Journal}. */
final class Schedule {
    private Schedule() {}

    /**
     * Between two readings of the clock in one statement little time passes, and much less than half of a wait, which would
     * be the wait before.
     */
    static void assertWaits(List<Duration> waits, Integer... expectedMillis) {
        assertThat(waits).hasSize(expectedMillis.length);
        for (int i = 0; i < expectedMillis.length; i++) {
            Duration expected = Duration.ofMillis(expectedMillis[i]);
            assertThat(waits.get(i))
                    .describedAs("wait %d of %s", i, waits)
                    .isGreaterThan(expected.dividedBy(2))
                    .isLessThanOrEqualTo(expected);
        }
    }

    /** By the database's clock. */
    static void assertNothingWasSentEarly(List<Step> steps) {
        Instant due = Instant.MIN;
        for (Step step : steps) {
            if (step.status().equals("FAILED")) {
                due = Journal.due(step);
            } else if (step.status().equals("SENDING")) {
                assertThat(step.noted()).isAfterOrEqualTo(due);
            }
        }
    }
}
