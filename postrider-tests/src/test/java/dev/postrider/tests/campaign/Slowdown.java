package dev.postrider.tests.campaign;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * How much longer work takes on this machine than it would if nobody else wanted its cores: measured by a thread that
 * computes a few milliseconds now and then, as time on the clock to time on a core. Bounds of time are stretched by it.
 */
final class Slowdown implements AutoCloseable {
    private static final long WORK_NANOS = 3_000_000;
    private static final long PAUSE_MILLIS = 150;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Thread thread = new Thread(this::measure, "campaign-slowdown");
    private double factor = 1;
    private double largest = 1;

    Slowdown() {
        thread.setDaemon(true);
        thread.start();
    }

    private void measure() {
        try {
            while (true) {
                Thread.sleep(PAUSE_MILLIS);
                long began = System.nanoTime();
                long busy = threads.getCurrentThreadCpuTime();
                long worked = 0;
                while (worked < WORK_NANOS) {
                    worked = threads.getCurrentThreadCpuTime() - busy;
                }
                add((double) (System.nanoTime() - began) / worked);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    /** What was measured lately counts most. */
    private synchronized void add(double measured) {
        factor = 0.95 * factor + 0.05 * Math.min(measured, 20);
        largest = Math.max(largest, factor);
    }

    /** Over after this time, stretched by how slow the machine is at the moment of asking. */
    Deadline in(Duration bound) {
        long began = System.nanoTime();
        return () -> System.nanoTime() - began > stretched(bound).toNanos();
    }

    interface Deadline {
        boolean isOver();
    }

    synchronized double factor() {
        return Math.max(1, factor);
    }

    /** The largest factor so far. */
    synchronized double largest() {
        return largest;
    }

    /** For those who cannot ask a {@link Deadline}. */
    Duration stretched(Duration bound) {
        return Duration.ofMillis((long) (bound.toMillis() * factor()));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
