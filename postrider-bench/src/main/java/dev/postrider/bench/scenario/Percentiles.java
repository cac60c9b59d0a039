package dev.postrider.bench.scenario;

import dev.postrider.bench.lab.LiveConsumer;
import java.util.Arrays;

/** In milliseconds. */
record Percentiles(double p50, double p99) {

    /**
     * @param commits when each event was known to be committed
     * @param from number of the first of them
     */
    static Percentiles of(long[] commits, int from, LiveConsumer consumer) {
        double[] millis = new double[commits.length];
        for (int i = 0; i < commits.length; i++) {
            // An event can be there before its writer knows that it has committed.
            millis[i] = Math.max(0, consumer.arrival(from + i) - commits[i]) / 1e6;
        }
        Arrays.sort(millis);
        return new Percentiles(at(millis, 0.5), at(millis, 0.99));
    }

    private static double at(double[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(sorted.length * share))];
    }
}
