package dev.postrider.relay;

import dev.postrider.RelaySettings.Polling;
import dev.postrider.source.EventSource;
import java.time.Duration;

/**
 * When to look at the table although nobody called. Called by the relay's thread alone.
 *
 * <p>After a full batch at once. After traffic soon, then less and less often up to the interval, so
 * that an idle relay is nearly silent; or always after the interval, if that was asked for.
 */
final class PollTimer {
    private static final long SHORTEST = Duration.ofMillis(10).toNanos();

    /** So soon the rest is looked at after a look that left something out. */
    private static final long REST = Duration.ofSeconds(1).toNanos();

    private final long interval;
    private final boolean adaptive;
    private long delay;
    private long dueAt = System.nanoTime();

    /** Set while something due waits for events in flight: only their end makes another look worthwhile. */
    private boolean blocked;

    PollTimer(Duration interval, Polling polling) {
        this.interval = interval.toNanos();
        this.adaptive = polling == Polling.ADAPTIVE;
        this.delay = this.interval;
    }

    void fetched(EventSource.Fetched fetched) {
        blocked = fetched.blocked();
        boolean traffic = !fetched.events().isEmpty() || blocked;
        if (fetched.more()) {
            delay = 0;
        } else if (!adaptive) {
            delay = interval;
        } else if (traffic) {
            delay = Math.min(SHORTEST, interval);
        } else {
            delay = Math.min(Math.max(SHORTEST, delay * 2), interval);
        }
        dueAt = System.nanoTime() + (fetched.partial() ? Math.min(delay, REST) : delay);
    }

    /** Events have been settled: if something waited for them, it may be fetched now. */
    void settled() {
        if (blocked) {
            lookAtOnce();
        }
    }

    void lookAtOnce() {
        blocked = false;
        dueAt = System.nanoTime();
    }

    boolean isDue() {
        return nanosLeft() <= 0;
    }

    long nanosLeft() {
        return dueAt - System.nanoTime();
    }
}
