package dev.postrider.kafka.consume;

/** Where a group begins that has never committed anything. */
public enum StartAt {
    /** With what comes from now on. */
    LATEST,
    /** With the oldest that is there. */
    EARLIEST
}
