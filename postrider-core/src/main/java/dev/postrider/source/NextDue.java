package dev.postrider.source;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the next event of a source becomes due: as the database said last, or sooner if something has failed since. How long
 * that is from now is what counts, so no clock but the database's decides when an event is due. Called by the relay's thread.
 */
public final class NextDue {
    /** Whatever is later than this is asked for again before then. */
    private static final Duration FARTHEST = Duration.ofDays(1);

    private boolean known;
    private long at;

    /** The database was asked: this is all there is. Null if nothing waits for its time. */
    public void set(@Nullable Duration wait) {
        known = wait != null;
        at = nanosAfter(wait == null ? FARTHEST : wait);
    }

    /** Something is due then, perhaps after something else. */
    public void noLaterThan(Duration wait) {
        long other = nanosAfter(wait);
        if (!known || other - at < 0) {
            known = true;
            at = other;
        }
    }

    public boolean isReached() {
        return known && System.nanoTime() - at >= 0;
    }

    /** Not negative; null if nothing waits for its time. */
    public @Nullable Duration left() {
        return known ? Duration.ofNanos(Math.max(0, at - System.nanoTime())) : null;
    }

    private static long nanosAfter(Duration wait) {
        Duration bounded = wait.compareTo(FARTHEST) < 0 ? wait : FARTHEST;
        return System.nanoTime() + Math.max(0, bounded.toNanos());
    }
}
