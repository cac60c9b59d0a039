package dev.postrider.alert;

import java.time.Duration;

/**
 * How high it stands in an outbox.
 *
 * @param pending events not yet published; counting may have stopped at a cap
 * @param failed those of them that wait for their retry
 * @param oldest age of the oldest, by the database's clock
 */
public record Levels(long pending, long failed, Duration oldest) {}
