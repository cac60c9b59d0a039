package dev.postrider.bench.contender;

import dev.postrider.bench.contender.BenchEvent.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a contender's process shall do next.
 *
 * @param from number of the first event
 * @param count events, for {@link What#BACKLOG} and {@link What#PACED}
 * @param rate events a second, for {@link What#PACED}
 * @param threads writers
 * @param seconds how long, for {@link What#FLAT_OUT}
 * @param events events in each transaction, for {@link What#FLAT_OUT}
 */
public record Order(What what, Shape shape, long from, int count, int rate, int threads, double seconds, int events) {
    private static final Shape NONE = new Shape(0, 1);

    /** The kinds of orders. */
    public enum What {
        PREPARE,
        BACKLOG,
        START,
        STOP,
        /** Transactions of one event at a given rate. */
        PACED,
        /** Transactions as fast as they go. */
        FLAT_OUT,
        USAGE,
        SETTINGS
    }

    public static Order simple(What what) {
        return new Order(what, NONE, 0, 0, 0, 0, 0, 0);
    }

    public static Order backlog(long from, int count, Shape shape) {
        return new Order(What.BACKLOG, shape, from, count, 0, 0, 0, 0);
    }

    public static Order paced(long from, int count, int rate, int threads, Shape shape) {
        return new Order(What.PACED, shape, from, count, rate, threads, 0, 1);
    }

    public static Order flatOut(long from, int threads, double seconds, int events, Shape shape) {
        return new Order(What.FLAT_OUT, shape, from, 0, 0, threads, seconds, events);
    }

    /**
     * @param error why it could not be done
     * @param count transactions committed
     * @param commits for each event when its commit had returned, by {@link System#nanoTime()}, which all processes of
     *     a machine share
     */
    public record Answer(
            @Nullable String error,
            long count,
            long @Nullable [] commits,
            long cpuNanos,
            long allocatedBytes,
            long peakLiveBytes,
            @Nullable List<String> settings) {

        static Answer done() {
            return new Answer(null, 0, null, 0, 0, 0, null);
        }

        static Answer failed(String why) {
            return new Answer(why, 0, null, 0, 0, 0, null);
        }

        static Answer count(long count) {
            return new Answer(null, count, null, 0, 0, 0, null);
        }

        static Answer commits(long[] commits) {
            return new Answer(null, commits.length, commits, 0, 0, 0, null);
        }

        static Answer usage(long cpuNanos, long allocatedBytes, long peakLiveBytes) {
            return new Answer(null, 0, null, cpuNanos, allocatedBytes, peakLiveBytes, null);
        }

        static Answer settings(List<String> settings) {
            return new Answer(null, 0, null, 0, 0, 0, settings);
        }
    }
}
