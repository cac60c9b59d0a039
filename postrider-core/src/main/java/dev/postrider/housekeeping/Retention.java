package dev.postrider.housekeeping;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long events are kept after delivery. Events that are not published are always kept.
 *
 * @param published published events, counted from when they were published; null means for ever
 */
public record Retention(@Nullable Duration published) {
    /** Nothing is ever deleted. */
    public static final Retention FOREVER = new Retention(null);

    public Retention {
        if (published != null) {
            HousekeepingSettings.PUBLISHED.check(published);
        }
    }

    public static Retention ofPublished(Duration published) {
        return new Retention(published);
    }

    public boolean deletesNothing() {
        return published == null;
    }
}
