package dev.postrider.bench.report;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.ContenderName.Kind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * What is compared with what, and how it should turn out. Machines differ, and one machine differs from hour to hour;
 * a ratio of two figures of one run says more than either of them.
 */
final class Ratios {
    private static final String DRAIN = "drain";
    private static final String RATE = "events/s";

    private final Figures figures;
    private final Map<String, Ratio> ratios = new LinkedHashMap<>();

    private Ratios(Figures figures) {
        this.figures = figures;
    }

    /**
     * @param what in words
     * @param figure one value for each run
     * @param target what it should be
     * @param atLeast whether the target is a lower bound
     */
    record Ratio(String what, Figure figure, double target, boolean atLeast) {
        boolean isMet() {
            return atLeast ? figure.median() >= target : figure.median() <= target;
        }
    }

    /** All that the figures allow, by name. */
    static Map<String, Ratio> of(Figures figures) {
        Ratios ratios = new Ratios(figures);
        ratios.drain();
        ratios.latency();
        ratios.write();
        ratios.growth();
        ratios.held();
        ratios.costs();
        return ratios.ratios;
    }

    private void drain() {
        Optional<Figure> producer = drain(ContenderName.PRODUCER);
        Optional<Figure> log = drain(ContenderName.LOG);
        Optional<Figure> polling = Arrays.stream(ContenderName.values())
                .filter(name -> name.kind() == Kind.POLLING_PEER)
                .flatMap(name -> drain(name).stream())
                .max(Comparator.comparingDouble(Figure::median));
        Optional<Figure> debezium = Arrays.stream(ContenderName.values())
                .filter(name -> name.kind() == Kind.LOG_PEER)
                .flatMap(name -> drain(name).stream())
                .findAny();
        atLeast("log_vs_producer", "log drain ÷ raw producer of the same messages", 0.9, log, producer);
        atLeast(
                "log_vs_bare_producer",
                "log drain ÷ raw producer without CloudEvents headers",
                0.9,
                log,
                drain(ContenderName.BARE_PRODUCER));
        atLeast("log_vs_best_polling_peer", "log drain ÷ best polling peer", 50, log, polling);
        atLeast("log_vs_debezium", "log drain ÷ Debezium embedded", 4, log, debezium);
        atLeast(
                "exactly_once_vs_log",
                "exactly-once log drain ÷ at-least-once log drain",
                0.7,
                drain(ContenderName.LOG_EXACTLY_ONCE),
                log);
        atLeast(
                "claim_keep_vs_producer",
                "claim drain, rows kept ÷ raw producer of the same messages",
                0.3,
                drain(ContenderName.CLAIM_KEEP),
                producer);
        atLeast(
                "claim_delete_vs_producer",
                "claim drain, rows deleted ÷ raw producer of the same messages",
                0.45,
                drain(ContenderName.CLAIM_DELETE),
                producer);
    }

    private Optional<Figure> drain(ContenderName name) {
        return figures.find(DRAIN, "", name.label(), RATE);
    }

    private void latency() {
        for (String percentile : List.of("p50", "p99")) {
            atMost(
                    "in_process_" + percentile + "_vs_gruelbox",
                    "commit → consumer at 200/s, relay in the writer's process, " + percentile + " ÷ gruelbox",
                    1.2,
                    latency(ContenderName.LOG.label(), "same process", percentile),
                    latency("gruelbox", "same process", percentile));
        }
        atMost(
                "other_process_p50_vs_debezium",
                "commit → consumer at 200/s, relay in another process, p50 ÷ Debezium",
                0.6,
                latency(ContenderName.LOG.label(), "another process", "p50"),
                latency("debezium", "another process", "p50"));
        atMost(
                "other_process_wal_p50_vs_debezium",
                "commit → consumer at 200/s, relay in another process, woken by the WAL, p50 ÷ Debezium",
                0.6,
                latency(ContenderName.LOG.label(), "another process, wake-up wal", "p50"),
                latency("debezium", "another process", "p50"));
    }

    private Optional<Figure> latency(String contender, String where, String percentile) {
        return figures.find("latency", "200/s, " + where, contender, percentile + " ms");
    }

    private void write() {
        Optional<Figure> log = figures.find("write", "", ContenderName.LOG.label(), "with ÷ without");
        log.ifPresent(figure -> ratios.put(
                "write_with_vs_without",
                new Ratio("transactions/s of 8 writers, with an event ÷ without", figure, 0.65, true)));
        Optional<Figure> bestPeer = figures.of("write", "with ÷ without").stream()
                .filter(figure -> ContenderName.find(figure.contender())
                        .filter(name -> name.kind() == Kind.POLLING_PEER || name.kind() == Kind.LOG_PEER)
                        .isPresent())
                .max(Comparator.comparingDouble(Figure::median));
        atLeast("write_vs_best_peer", "the same ÷ that of the best peer", 1, log, bestPeer);
    }

    private void growth() {
        for (ContenderName contender : List.of(ContenderName.LOG, ContenderName.CLAIM_KEEP)) {
            String name = contender.label().replace('-', '_');
            grown(name + "_rows_kept", contender, "kept=", "drain with published rows kept ÷ with none");
            grown(name + "_backlog", contender, "backlog=", "drain of a long backlog ÷ of a short one");
        }
    }

    /** The largest of a series against the smallest, by their medians: there are not equally many runs of both. */
    private void grown(String name, ContenderName contender, String series, String what) {
        List<Figure> sizes = figures.of("growth", RATE).stream()
                .filter(figure -> figure.contender().equals(contender.label())
                        && figure.variant().startsWith(series))
                .toList();
        if (sizes.size() > 1) {
            Figure small = sizes.get(0);
            Figure large = sizes.get(sizes.size() - 1);
            double[] ratio = {large.median() / small.median()};
            String sizesCompared = large.variant() + " against " + small.variant();
            ratios.put(
                    name,
                    new Ratio(
                            contender.label() + ": " + what + " (" + sizesCompared + ")",
                            new Figure("growth", sizesCompared, contender.label(), RATE, ratio),
                            0.9,
                            true));
        }
    }

    private void held() {
        for (ContenderName contender : ContenderName.values()) {
            String name = contender.label().replace('-', '_') + "_held_transaction_";
            compareHeld(contender, RATE)
                    .ifPresent(ratio -> ratios.put(
                            name + "rate",
                            new Ratio(
                                    contender.label() + ": events/s with a transaction held open ÷ without",
                                    ratio,
                                    0.9,
                                    true)));
            compareHeld(contender, "p50 ms")
                    .ifPresent(ratio -> ratios.put(
                            name + "p50",
                            new Ratio(
                                    contender.label() + ": p50 with a transaction held open ÷ without",
                                    ratio,
                                    1 / 0.9,
                                    false)));
        }
    }

    private Optional<Figure> compareHeld(ContenderName contender, String metric) {
        return both(
                figures.find("held", "held open", contender.label(), metric),
                figures.find("held", "none open", contender.label(), metric),
                Figure::dividedBy);
    }

    private void costs() {
        for (ContenderName contender : ContenderName.values()) {
            if (contender.kind() == Kind.POSTRIDER) {
                String name = contender.label().replace('-', '_');
                limit(name + "_idle_core_percent", "idle relay, % of a core", "idle", contender, "% of a core", 1);
                limit(name + "_idle_statements", "idle relay, statements/s", "idle", contender, "statements/s", 5);
                limit(name + "_heap_mb", "live heap at full speed, MB", "heap", contender, "live MB", 256);
            }
        }
    }

    private void limit(
            String name, String what, String scenario, ContenderName contender, String metric, double target) {
        figures.find(scenario, "", contender.label(), metric)
                .ifPresent(
                        figure -> ratios.put(name, new Ratio(contender.label() + ": " + what, figure, target, false)));
    }

    private void atLeast(String name, String what, double target, Optional<Figure> one, Optional<Figure> other) {
        both(one, other, Figure::dividedBy)
                .ifPresent(figure -> ratios.put(name, new Ratio(what, figure, target, true)));
    }

    private void atMost(String name, String what, double target, Optional<Figure> one, Optional<Figure> other) {
        both(one, other, Figure::dividedBy)
                .ifPresent(figure -> ratios.put(name, new Ratio(what, figure, target, false)));
    }

    private static Optional<Figure> both(
            Optional<Figure> one, Optional<Figure> other, BiFunction<Figure, Figure, Figure> combine) {
        return one.flatMap(first -> other.map(second -> combine.apply(first, second)));
    }
}
