package dev.postrider;

import java.util.Locale;

/** How relays read an outbox. Stored with it. */
public enum OutboxMode {
    /**
     * As an append-only log: each shard has a cursor, and only events that fail get additional rows. PostgreSQL only.
     */
    LOG,
    /** By claiming rows, which contain their state. */
    CLAIM;

    /** As it is stored and written in settings. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
