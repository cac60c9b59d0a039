package dev.postrider.internal.lifecycle;

import java.time.Duration;

/**
 * When something that broke is tried again: after one second, then two, four and so on up to a minute. Once it has gone well
 * for longer than a minute, from the beginning.
 */
public final class Restarts {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int MOST_DOUBLINGS = 6;

    private int failures;
    private long retryAt = System.nanoTime();
    private boolean running;
    private long startedAt;

    /** It has been started; from here on its health counts. */
    public synchronized void started() {
        running = true;
        startedAt = System.nanoTime();
    }

    /**
     * It broke.
     *
     * @return how long to leave it alone
     */
    public synchronized Duration failed() {
        if (isHealthy()) {
            failures = 0;
        }
        Duration delay = Duration.ofSeconds(1L << Math.min(failures, MOST_DOUBLINGS));
        delay = delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
        failures++;
        running = false;
        retryAt = System.nanoTime() + delay.toNanos();
        return delay;
    }

    /** Whether it has gone well for long enough to begin from the beginning. */
    public synchronized boolean isHealthy() {
        return running && System.nanoTime() - startedAt > LONGEST.toNanos();
    }

    /** Whether it may be tried now. */
    public synchronized boolean isOver() {
        return nanosLeft() <= 0;
    }

    public synchronized long nanosLeft() {
        return retryAt - System.nanoTime();
    }
}
