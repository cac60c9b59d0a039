package dev.postrider.internal.spring.health;

import dev.postrider.OutboxPause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much waits in an outbox.
 *
 * @param pending events not yet published; counting stops at {@link #CAP}
 * @param oldest age of the oldest of them
 * @param deadLetters counting stops at the same number
 * @param pause null unless an operator has paused the outbox
 */
record Levels(
        long pending,
        Duration oldest,
        long deadLetters,
        @Nullable OutboxPause pause) {
    /** So that looking costs the same with ten events and with ten million. */
    static final int CAP = 10_000;

    /** A number, or that it is at least so many. */
    static Object counted(long count) {
        return count < CAP ? (Object) count : "at least " + CAP;
    }
}
