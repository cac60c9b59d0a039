package dev.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.cli.demo.Chaos.Fault;
import dev.postrider.cli.demo.DeliveryProof.Arrivals;
import dev.postrider.cli.demo.DeliveryProof.Verdict;
import dev.postrider.cli.demo.DemoReport.Broken;
import dev.postrider.cli.demo.DemoReport.Drain;
import dev.postrider.cli.demo.DemoReport.Latency;
import dev.postrider.cli.demo.DemoReport.Outage;
import dev.postrider.cli.demo.DemoReport.Paced;
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
                .containsEntry("killedRelays", 3L)
                .containsEntry("pausedRelays", 1L)
                .containsEntry("kafkaRestarts", 2L);
    }

    @Test
    void reportSaysWhatWasMeasuredWhenAndWhatLimitsIt() {
        assertThat(report(OutboxLayout.claim(), 0).text())
                .contains(
                        "latency     p50 5.0 ms, p99 9.0 ms  commit to consumer, at 300/s",
                        "limited by hops between processes, processors: 35 % of 2 busy",
                        "throughput  40,000 events/s  first to last of 200,000 that waited, 1 KB each",
                        "limited by processors, which all of it shares: 97 % of 2 busy");
    }

    @Test
    void lengthOfEachOutageIsBesideItsFault() {
        assertThat(report(OutboxLayout.claim(), 0).text())
                .contains(
                        "  BROKEN, AT 300/S            BACK AFTER  LONGEST WAIT OF AN EVENT",
                        "  relay-1 killed                   1.2 s                     3.4 s");
    }

    @Test
    void reportWithChaosFitsOneScreen() {
        String text = report(EXACTLY_ONCE, 0).text();

        assertThat(text.lines()).hasSizeLessThanOrEqualTo(24).allMatch(line -> line.length() < 80, "shorter than 80");
    }

    private static DemoReport report(OutboxLayout layout, long duplicates) {
        return new DemoReport(
                new DemoOptions(DemoDatabase.POSTGRESQL, layout, 300, 15, 200_000, false, 2, true, false),
                new Verdict(234_567, 2, 234_567, 0, duplicates, 0, 0, List.of()),
                true,
                new Paced(Latency.of(new long[] {5_000_000, 9_000_000}), new ProcessorUse(0.35, 2)),
                new Broken(
                        Latency.of(new long[] {5_000_000, 3_400_000_000L}),
                        List.of(
                                outage(Fault.Kind.KILLED, "relay-1 killed"),
                                outage(Fault.Kind.KAFKA_DOWN, "Kafka killed"),
                                outage(Fault.Kind.PAUSED, "relay-1 paused"),
                                outage(Fault.Kind.KILLED, "relay-2 killed"),
                                outage(Fault.Kind.KAFKA_DOWN, "Kafka stopped"),
                                outage(Fault.Kind.KILLED, "relay-1 and relay-2 killed"))),
                Drain.of(new Arrivals(200_000, Duration.ofSeconds(5)), new ProcessorUse(0.97, 2)));
    }

    private static Outage outage(Fault.Kind kind, String what) {
        return new Outage(new Fault(kind, what, 0, Duration.ofMillis(1_200)), Duration.ofMillis(3_400));
    }
}
