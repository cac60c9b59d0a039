package dev.postrider.internal.relay;

import dev.postrider.RelaySettings.Polling;
import dev.postrider.internal.source.EventSource;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When to look at the table although nobody called. Called by the relay's thread alone.
 *
 * <p>After a full batch at once. After traffic soon, then less and less often up to the interval, so
 * that an idle relay is nearly silent; or always after the interval, if that was asked for. In any case when an event's
 * time comes.
 */
final class PollTimer {
    private static final long SHORTEST = Duration.ofMillis(10).toNanos();

    /** So soon the rest is looked at after a look that left something out. */
    private static final long REST = Duration.ofSeconds(1).toNanos();

    /** Looks for what is due follow each other so soon while they find nothing, and no later. */
    private static final long LONGEST_SPACING = Duration.ofMillis(50).toNanos();

    private final long interval;
    private final boolean adaptive;
    private long delay;
    private final LongSupplier nanoTime;
    private long pollAt;
    private long lookedAt;
    private long spacing;

    /** Set while something due waits for events in flight: only their end makes another look worthwhile. */
    private boolean blocked;

    PollTimer(Duration interval, Polling polling, LongSupplier nanoTime) {
        this.interval = interval.toNanos();
        this.adaptive = polling == Polling.ADAPTIVE;
        this.delay = this.interval;
        this.nanoTime = nanoTime;
        this.pollAt = nanoTime.getAsLong();
        this.lookedAt = pollAt;
    }

    void fetched(EventSource.Fetched fetched) {
        blocked = fetched.blocked();
        boolean traffic = !fetched.events().isEmpty() || blocked;
        if (fetched.more()) {
            delay = 0;
        } else if (!adaptive) {
            delay = blocked ? Math.min(LONGEST_SPACING, interval) : interval;
        } else if (traffic) {
            delay = Math.min(SHORTEST, interval);
        } else {
            delay = Math.min(Math.max(SHORTEST, delay * 2), interval);
        }
        lookedAt = nanoTime.getAsLong();
        pollAt = lookedAt + (fetched.partial() ? Math.min(delay, REST) : delay);
        boolean nothing = fetched.events().isEmpty() && fetched.unsendable().isEmpty();
        spacing = nothing ? Math.min(Math.max(SHORTEST, spacing * 2), LONGEST_SPACING) : 0;
    }

    /** Events have been settled: if something waited for them, it may be fetched now. */
    void settled() {
        if (blocked) {
            lookAtOnce();
        }
    }

    void lookAtOnce() {
        blocked = false;
        pollAt = nanoTime.getAsLong();
    }

    /**
     * @param untilDue how long until an event's time comes: that is not waited for any longer, whatever the interval
     */
    long nanosLeft(@Nullable Duration untilDue) {
        long now = nanoTime.getAsLong();
        long poll = pollAt - now;
        // What is due and cannot be fetched yet must not make the relay spin.
        return untilDue == null ? poll : Math.min(poll, Math.max(untilDue.toNanos(), lookedAt + spacing - now));
    }
}
