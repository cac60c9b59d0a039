package dev.postrider.cli.settings;

/** What is asked of an event's content hash. */
public enum Integrity {
    /** It is checked if it is there. */
    OPTIONAL,
    /** It must be there. */
    REQUIRED
}
