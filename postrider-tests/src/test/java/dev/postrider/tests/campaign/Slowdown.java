package dev.postrider.tests.campaign;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * How much longer work takes on this machine than it would if nobody else wanted its cores: measured by a thread that
 * computes now and then, as time on the clock to time on a core. Bounds of time are stretched by it.
 */
final class Slowdown implements AutoCloseable {
    /** As long as it takes to be treated like a process that starts: schedulers let those run at once that want little. */
    private static final long WORK_NANOS = 50_000_000;

    private static final long PAUSE_MILLIS = 1000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Thread thread = new Thread(this::measure, "campaign-slowdown");
    private double factor = 1;
    private double largest = 1;
    private long looked = System.nanoTime();
    private double passed;

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
        passed();
        factor = 0.8 * factor + 0.2 * Math.min(measured, 20);
        largest = Math.max(largest, factor);
    }

    /** Over after this time, in which seconds count the less the slower the machine was meanwhile. */
    Deadline in(Duration bound) {
        double began = passed();
        return () -> passed() - began > bound.toNanos();
    }

    /** Nanoseconds that would have been enough for what was done so far, had nobody else wanted the cores. */
    private synchronized double passed() {
        long now = System.nanoTime();
        passed += (now - looked) / factor();
        looked = now;
        return passed;
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
