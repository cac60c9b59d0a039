package dev.postrider.cli.demo;

import dev.postrider.cli.command.LayoutOptions;
import dev.postrider.cli.demo.DeliveryProof.Timing;
import dev.postrider.cli.demo.DeliveryProof.Verdict;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What came out.
 *
 * @param latency commit to consumer, in microseconds, first deliveries only; what was written while
 *     everything was cold is left out of it and of the throughput, and of nothing else
 */
record DemoReport(
        DemoOptions options,
        Verdict verdict,
        Histogram latency,
        double eventsPerSecond,
        boolean balanced,
        Chaos.Toll toll) {

    static DemoReport of(DemoOptions options, Verdict verdict, Timing timing, boolean balanced, Chaos.Toll toll) {
        Histogram latency = new Histogram(3);
        for (long nanos : timing.commitToDelivery()) {
            latency.recordValue(nanos / 1_000);
        }
        double seconds = Math.max(1, timing.elapsed().toMillis()) / 1000.0;
        return new DemoReport(options, verdict, latency, latency.getTotalCount() / seconds, balanced, toll);
    }

    boolean isGood() {
        boolean asOftenAsPromised = !options.exactlyOnce() || verdict.duplicates() == 0;
        return verdict.isKept() && asOftenAsPromised && balanced;
    }

    Map<String, Object> json() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.putAll(LayoutOptions.json(options.layout()));
        object.put("via", options.viaDebezium() ? "debezium" : "relay");
        object.put("instances", options.viaDebezium() ? 1 : options.instances());
        object.put("written", verdict.written());
        object.put("rolledBack", verdict.rolledBack());
        object.put("received", verdict.received());
        object.put("lost", verdict.lost());
        object.put("duplicates", verdict.duplicates());
        object.put("reordered", verdict.reordered());
        object.put("phantom", verdict.phantom());
        object.put("eventsPerSecond", rounded(eventsPerSecond));
        Map<String, Object> latencyMs = new LinkedHashMap<>();
        latencyMs.put("p50", rounded(millis(50)));
        latencyMs.put("p99", rounded(millis(99)));
        object.put("latencyMs", latencyMs);
        object.put("balanced", balanced);
        object.put("killedRelays", toll.killedRelays());
        object.put("pausedRelays", toll.pausedRelays());
        object.put("kafkaRestarts", toll.kafkaRestarts());
        return object;
    }

    String text() {
        String chaos = options.chaos()
                ? line(
                                options.viaDebezium() ? "workers killed" : "relays killed",
                                toll.killedRelays(),
                                "with SIGKILL, and started again")
                        + (options.viaDebezium()
                                ? ""
                                : line(
                                        "relays paused",
                                        toll.pausedRelays(),
                                        "with SIGSTOP, for longer than their lease"))
                        + line("Kafka restarts", toll.kafkaRestarts(), "once killed, once stopped")
                : "";
        String examples = String.join(System.lineSeparator() + "  ", verdict.examples());
        return String.format(
                        Locale.ROOT, "  %-16s %s%n", "outbox", options.layout().describe())
                + (options.exactlyOnce()
                        ? String.format(
                                Locale.ROOT, "  %-16s %s%n", "consumer", "sees committed records only (read_committed)")
                        : "")
                + (options.viaDebezium()
                        ? String.format(
                                Locale.ROOT, "  %-16s %s%n", "delivered by", "Debezium on a Kafka Connect worker")
                        : "")
                + line("written", verdict.written(), "in committed transactions")
                + line("rolled back", verdict.rolledBack(), "written, then taken back with their transaction")
                + line("received", verdict.received(), "different events")
                + line("lost", verdict.lost(), "")
                + line(
                        "duplicates",
                        verdict.duplicates(),
                        options.exactlyOnce()
                                ? "none allowed: delivery is exactly once"
                                : "allowed: delivery is at least once")
                + line("reordered", verdict.reordered(), "per account")
                + line("phantom", verdict.phantom(), "received although rolled back or never written")
                + line(
                        "events/s",
                        Math.round(eventsPerSecond),
                        "from the first insert to the last delivery, processes warm")
                + String.format(
                        Locale.ROOT, "  %-16s p50 %.1f ms, p99 %.1f ms%n", "commit-consumer", millis(50), millis(99))
                + String.format(Locale.ROOT, "  %-16s %s%n", "balances", balanced ? "sum unchanged" : "SUM HAS CHANGED")
                + chaos
                + (examples.isEmpty() ? "" : "  " + examples + System.lineSeparator())
                + (isGood()
                        ? "OK: nothing lost, " + (options.exactlyOnce() ? "nothing doubled, " : "")
                                + "nothing out of order, nothing invented."
                        : "FAILED: a promise was broken.")
                + System.lineSeparator();
    }

    private static String line(String name, long number, String remark) {
        return String.format(Locale.ROOT, "  %-16s %,10d  %s", name, number, remark)
                        .stripTrailing()
                + System.lineSeparator();
    }

    private double millis(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1000.0;
    }

    private static double rounded(double number) {
        return Math.round(number * 10) / 10.0;
    }
}
