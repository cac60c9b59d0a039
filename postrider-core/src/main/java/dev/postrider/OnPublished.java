package dev.postrider;

/** What happens to a row once the broker has acknowledged its event. */
public enum OnPublished {
    /** It stays, as PUBLISHED, until retention removes it. */
    KEEP,
    /** It is deleted: the smallest table, no history. */
    DELETE
}
