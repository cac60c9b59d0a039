package dev.postrider.cli.demo;

import dev.postrider.cli.command.LayoutOptions;
import dev.postrider.cli.command.TextTable;
import dev.postrider.cli.demo.Chaos.Fault;
import dev.postrider.cli.demo.DeliveryProof.Arrivals;
import dev.postrider.cli.demo.DeliveryProof.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What came out. It fits on one screen.
 *
 * @param broken if things were broken
 * @param drain if a backlog was drained
 */
record DemoReport(
        DemoOptions options,
        Verdict verdict,
        boolean balanced,
        Paced paced,
        @Nullable Broken broken,
        @Nullable Drain drain) {

    /** Commit to consumer, first deliveries only, in milliseconds. */
    record Latency(long events, double p50, double p99, double max) {
        static Latency of(long[] commitToDelivery) {
            Histogram micros = new Histogram(3);
            LongStream.of(commitToDelivery).forEach(nanos -> micros.recordValue(nanos / 1_000));
            return new Latency(
                    micros.getTotalCount(),
                    micros.getValueAtPercentile(50) / 1e3,
                    micros.getValueAtPercentile(99) / 1e3,
                    micros.getMaxValue() / 1e3);
        }
    }

    /** While events flowed at a steady rate. */
    record Paced(Latency latency, ProcessorUse use) {}

    /** While things were broken, at the same rate. */
    record Broken(Latency latency, List<Outage> outages) {
        /** An event on its way when something broke may have been committed this long before. */
        private static final long ON_ITS_WAY = Duration.ofMillis(500).toNanos();

        static Broken of(List<Fault> faults, DeliveryProof proof, long begin, long end) {
            List<Outage> outages = new ArrayList<>();
            for (int i = 0; i < faults.size(); i++) {
                long from = faults.get(i).began() - ON_ITS_WAY;
                long until = i + 1 < faults.size() ? faults.get(i + 1).began() - ON_ITS_WAY : end;
                long longest = LongStream.of(proof.timingBetween(from, until).commitToDelivery())
                        .max()
                        .orElse(0);
                outages.add(new Outage(faults.get(i), Duration.ofNanos(longest)));
            }
            return new Broken(Latency.of(proof.timingBetween(begin, end).commitToDelivery()), outages);
        }
    }

    /**
     * What a fault meant for those who wait for events.
     *
     * @param longestWait of an event written around it, from its commit to the consumer
     */
    record Outage(Fault fault, Duration longestWait) {}

    /** While a backlog was delivered. */
    record Drain(long events, double eventsPerSecond, ProcessorUse use) {
        static Drain of(Arrivals arrivals, ProcessorUse use) {
            double seconds = Math.max(1, arrivals.elapsed().toMillis()) / 1e3;
            return new Drain(arrivals.events(), arrivals.events() / seconds, use);
        }
    }

    boolean isGood() {
        boolean asOftenAsPromised = !options.exactlyOnce() || verdict.duplicates() == 0;
        return verdict.isKept() && asOftenAsPromised && balanced;
    }

    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
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
        object.put("balanced", balanced);
        object.put("rate", options.rate());
        object.put("latencyMs", json(paced.latency()));
        object.put("eventsPerSecond", drain == null ? null : rounded(drain.eventsPerSecond()));
        object.put("chaosLatencyMs", broken == null ? null : json(broken.latency()));
        object.put("killedRelays", count(Fault.Kind.KILLED));
        object.put("pausedRelays", count(Fault.Kind.PAUSED));
        object.put("kafkaRestarts", count(Fault.Kind.KAFKA_DOWN));
        object.put("faults", outages().stream().map(DemoReport::json).toList());
        return object;
    }

    private static Map<String, Object> json(Latency latency) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("events", latency.events());
        object.put("p50", rounded(latency.p50()));
        object.put("p99", rounded(latency.p99()));
        object.put("max", rounded(latency.max()));
        return object;
    }

    private static Map<String, Object> json(Outage outage) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("what", outage.fault().what());
        object.put("awaySeconds", rounded(outage.fault().away().toMillis() / 1e3));
        object.put("longestWaitSeconds", rounded(outage.longestWait().toMillis() / 1e3));
        return object;
    }

    private List<Outage> outages() {
        return broken == null ? List.of() : broken.outages();
    }

    private long count(Fault.Kind kind) {
        return outages().stream()
                .filter(outage -> outage.fault().kind() == kind)
                .count();
    }

    String text() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "  %-11s %s%s",
                "outbox",
                options.layout().describe(),
                options.exactlyOnce() ? "; read_committed" : ""));
        if (options.viaDebezium()) {
            lines.add(String.format("  %-11s %s", "delivered by", "Debezium on a Kafka Connect worker"));
        }
        lines.add(line(
                "written",
                verdict.written(),
                String.format(
                        Locale.ROOT, "in committed transactions; %,d more were rolled back", verdict.rolledBack())));
        lines.add(line("received", verdict.received(), "different events"));
        lines.add(line("lost", verdict.lost(), ""));
        lines.add(line(
                "duplicates",
                verdict.duplicates(),
                options.exactlyOnce()
                        ? "none allowed: delivery is exactly once"
                        : "allowed: delivery is at least once"));
        lines.add(line("reordered", verdict.reordered(), "per account"));
        lines.add(line("phantom", verdict.phantom(), "received although rolled back or never written"));
        lines.add(String.format("  %-11s %s", "balances", balanced ? "sum unchanged" : "SUM HAS CHANGED"));
        lines.add("");
        addLatency(lines);
        addThroughput(lines);
        if (broken != null) {
            lines.add("");
            addOutages(lines, broken);
        }
        verdict.examples().forEach(example -> lines.add("  " + example));
        lines.add(
                isGood()
                        ? "OK: nothing lost, " + (options.exactlyOnce() ? "nothing doubled, " : "")
                                + "nothing out of order, nothing invented."
                        : "FAILED: a promise was broken.");
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    private void addLatency(List<String> lines) {
        Latency latency = paced.latency();
        lines.add(String.format(
                Locale.ROOT,
                "  %-11s p50 %.1f ms, p99 %.1f ms  commit to consumer, at %,d/s",
                "latency",
                latency.p50(),
                latency.p99(),
                options.rate()));
        lines.add(limit(
                paced.use().isFull() ? "limited by processors" : "limited by hops between processes, processors",
                paced.use()));
    }

    private void addThroughput(List<String> lines) {
        if (drain == null) {
            return;
        }
        lines.add(String.format(
                Locale.ROOT,
                "  %-11s %,d events/s  first to last of %,d that waited, 1 KB each",
                "throughput",
                Math.round(drain.eventsPerSecond()),
                drain.events()));
        lines.add(limit(
                drain.use().isFull()
                        ? "limited by processors, which all of it shares"
                        : "limited by disk and network, processors",
                drain.use()));
    }

    private static String limit(String by, ProcessorUse use) {
        return String.format("  %-11s %s: %s", "", by, use.inWords());
    }

    private void addOutages(List<String> lines, Broken chaos) {
        TextTable table =
                new TextTable("BROKEN, AT " + options.rate() + "/S", ">BACK AFTER", ">LONGEST WAIT OF AN EVENT");
        for (Outage outage : chaos.outages()) {
            table.row(outage.fault().what(), seconds(outage.fault().away()), seconds(outage.longestWait()));
        }
        table.toString().lines().forEach(lines::add);
        lines.add(String.format(
                Locale.ROOT,
                "  %-11s p50 %.1f ms, p99 %,.0f ms  over all of it, %,d events",
                "latency",
                chaos.latency().p50(),
                chaos.latency().p99(),
                chaos.latency().events()));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1e3);
    }

    private static String line(String name, long number, String remark) {
        return String.format(Locale.ROOT, "  %-11s %,9d  %s", name, number, remark)
                .stripTrailing();
    }

    private static double rounded(double number) {
        return Math.round(number * 10) / 10.0;
    }
}
