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
     * A statement reads the clock twice: for when it failed and for when it is due. Little time passes between these, and
     * much less than half of a wait; the wait before is half as long, and the one after it twice as long.
     */
    static void assertWaits(List<Duration> waits, Integer... expectedMillis) {
        assertThat(waits).hasSize(expectedMillis.length);
        for (int i = 0; i < expectedMillis.length; i++) {
            Duration expected = Duration.ofMillis(expectedMillis[i]);
            assertThat(waits.get(i))
                    .describedAs("wait %d of %s", i, waits)
                    .isBetween(
                            expected.multipliedBy(3).dividedBy(4),
                            expected.multipliedBy(3).dividedBy(2));
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
