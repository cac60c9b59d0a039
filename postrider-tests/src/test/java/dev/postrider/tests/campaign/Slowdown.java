package dev.postrider.tests.campaign;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * How much longer work takes on this machine than it would if nobody else wanted its cores: measured by a thread that
 * computes a few milliseconds now and then, as time on the clock to time on a core. Bounds of time are stretched by it:
 * a second counts as much less as the machine is slower in this very second, so that neither a calm moment at the end of a
 * long wait nor one at its beginning decides.
 */
final class Slowdown implements AutoCloseable {
    private static final long WORK_NANOS = 3_000_000;
    private static final long PAUSE_MILLIS = 150;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Thread thread = new Thread(this::measure, "campaign-slowdown");
    private double factor = 1;
    private double unhinderedNanos;
    private long lastNanos = System.nanoTime();
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
        advance();
    }

    private void advance() {
        long now = System.nanoTime();
        unhinderedNanos += (now - lastNanos) / factor();
        lastNanos = now;
    }

    /** How long it would have taken on this machine without anybody else, since an arbitrary moment. */
    private synchronized double unhinderedNanos() {
        advance();
        return unhinderedNanos;
    }

    /** Over when as much could be done as in this time on this machine without anybody else. */
    Deadline in(Duration bound) {
        double end = unhinderedNanos() + bound.toNanos();
        return () -> unhinderedNanos() > end;
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
