package dev.postrider;

import java.util.Locale;

/** How relays read an outbox. Stored with it. */
public enum OutboxMode {
    /**
     * As a log: rows are only ever added, each shard has a cursor, and only events that fail get rows of
     * their own. PostgreSQL only.
     */
    LOG,
    /** By claiming rows, whose state is in them. */
    CLAIM;

    /** As it is stored and written in settings. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
