package dev.postrider.alert;

import dev.postrider.OutboxPause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The levels of an outbox.
 *
 * @param pending events not yet published; counting may have stopped at a cap
 * @param failed the ones that wait for their retry
 * @param oldest age of the oldest, by the database's clock
 * @param pause null unless an operator has paused the outbox
 */
public record Levels(
        long pending,
        long failed,
        Duration oldest,
        @Nullable OutboxPause pause) {
    public Levels(long pending, long failed, Duration oldest) {
        this(pending, failed, oldest, null);
    }
}
