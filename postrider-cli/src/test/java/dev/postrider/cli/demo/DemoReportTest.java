package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.cli.demo.DeliveryProof.Timing;
import dev.postrider.cli.demo.DeliveryProof.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoReportTest {
    private static final OutboxLayout EXACTLY_ONCE = OutboxLayout.log(8).delivering(Delivery.EXACTLY_ONCE);

    @Test
    void duplicatesAreAllowedIfDeliveryIsAtLeastOnce() {
        DemoReport report = report(OutboxLayout.claim(), 3);

        assertThat(report.isGood()).isTrue();
        assertThat(report.text())
                .contains(
                        "mode claim, delivery at-least-once", "allowed: delivery is at least once", "OK: nothing lost")
                .doesNotContain("read_committed", "doubled");
    }

    @Test
    void oneDuplicateBreaksThePromiseOfExactlyOnce() {
        DemoReport report = report(EXACTLY_ONCE, 1);

        assertThat(report.isGood()).isFalse();
        assertThat(report.text()).contains("none allowed: delivery is exactly once", "FAILED: a promise was broken.");
    }

    @Test
    void exactlyOnceWithoutDuplicatesIsGoodAndSaysHowTheConsumerReads() {
        DemoReport report = report(EXACTLY_ONCE, 0);

        assertThat(report.isGood()).isTrue();
        assertThat(report.text())
                .contains("mode log, 8 shards, delivery exactly-once", "read_committed", "nothing doubled");
    }

    @Test
    void jsonSaysHowTheOutboxWasReadAndWhatWasDoneToTheRelays() {
        assertThat(report(EXACTLY_ONCE, 0).json())
                .containsEntry("mode", "log")
                .containsEntry("shards", 8)
                .containsEntry("delivery", "exactly-once")
                .containsEntry("killedRelays", 4)
                .containsEntry("pausedRelays", 1)
                .containsEntry("kafkaRestarts", 2);
    }

    private static DemoReport report(OutboxLayout layout, long duplicates) {
        return DemoReport.of(
                new DemoOptions(DemoDatabase.POSTGRESQL, layout, 100, 0, 2, true, false),
                new Verdict(100, 2, 100, 0, duplicates, 0, 0, List.of()),
                new Timing(new long[] {1_000_000}, Duration.ofSeconds(1)),
                true,
                new Chaos.Toll(4, 1, 2));
    }
}
