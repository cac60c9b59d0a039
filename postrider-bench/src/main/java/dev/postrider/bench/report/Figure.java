package dev.postrider.bench.report;

import java.util.Arrays;

/**
 * One thing that was measured, as often as there were runs.
 *
 * @param scenario for example {@code drain}
 * @param variant what was different about it, for example {@code rate=200}; empty if there is only one
 * @param contender its label
 * @param metric for example {@code events/s}; higher is not always better
 * @param runs one value each, in the order of the runs
 */
public record Figure(String scenario, String variant, String contender, String metric, double[] runs) {

    public Figure {
        runs = runs.clone();
    }

    public double median() {
        double[] sorted = runs.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public double min() {
        return Arrays.stream(runs).min().orElseThrow();
    }

    public double max() {
        return Arrays.stream(runs).max().orElseThrow();
    }

    /** Run by run, so that what slows the machine for a while slows both. */
    Figure dividedBy(Figure other) {
        int length = Math.min(runs.length, other.runs.length);
        double[] ratios = new double[length];
        for (int i = 0; i < length; i++) {
            ratios[i] = runs[i] / other.runs[i];
        }
        return new Figure(scenario, variant, contender, metric + " ÷ " + other.contender, ratios);
    }
}
