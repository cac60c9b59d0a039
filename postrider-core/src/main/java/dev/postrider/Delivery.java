package dev.postrider;

import java.util.Locale;

/** How often an event may arrive. Stored with the outbox. */
public enum Delivery {
    /** Once, or more than once after a crash. */
    AT_LEAST_ONCE,
    /** Once for consumers that read committed records only. Log mode with a destination that has transactions. */
    EXACTLY_ONCE;

    /** As it is stored and written in settings. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
