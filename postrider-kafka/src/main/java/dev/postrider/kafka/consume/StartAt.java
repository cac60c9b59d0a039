package dev.postrider.kafka.consume;

/** Where a group starts that has never committed anything. */
public enum StartAt {
    /** With records that arrive from now on. */
    LATEST,
    /** With the oldest existing record. */
    EARLIEST
}
