package dev.postrider.internal.source;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When the next event of a source becomes due: as the database said last, or sooner if something has failed since. How long
 * that is from now is what counts, so no clock but the database's decides when an event is due. Called by the relay's thread.
 */
public final class NextDue {
    /** Whatever is later than this is asked for again before then. */
    private static final Duration FARTHEST = Duration.ofDays(1);

    private final LongSupplier nanoTime;
    private boolean known;
    private long at;

    public NextDue() {
        this(System::nanoTime);
    }

    /**
     * @param nanoTime a clock that nobody sets; what it counts from does not matter
     */
    public NextDue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** What was due has been taken, and the database says what comes next: null if nothing waits for its time. */
    public void set(@Nullable Duration wait) {
        known = wait != null;
        at = nanosAfter(wait == null ? FARTHEST : wait);
    }

    /**
     * Something is due then, perhaps after something else. What has come due and was not looked for yet is not forgotten,
     * however long ago that was.
     */
    public void noLaterThan(Duration wait) {
        long other = nanosAfter(wait);
        if (!known || other - at < 0) {
            known = true;
            at = other;
        }
    }

    public boolean isReached() {
        return known && nanoTime.getAsLong() - at >= 0;
    }

    /** Not negative; null if nothing waits for its time. */
    public @Nullable Duration left() {
        return known ? Duration.ofNanos(Math.max(0, at - nanoTime.getAsLong())) : null;
    }

    private long nanosAfter(Duration wait) {
        Duration bounded = wait.compareTo(FARTHEST) < 0 ? wait : FARTHEST;
        return nanoTime.getAsLong() + Math.max(0, bounded.toNanos());
    }
}
