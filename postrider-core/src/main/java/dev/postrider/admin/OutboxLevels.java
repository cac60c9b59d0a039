package dev.postrider.admin;

import dev.postrider.OutboxPause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much waits in an outbox, found at a cost that does not depend on the number of its events.
 *
 * @param pending events not yet published; at most {@code cap} are counted
 * @param oldest age of the oldest of them
 * @param deadLetters at most {@code cap} are counted
 * @param cap where counting stopped: a number as large as this is one of at least so many
 * @param pause null unless an operator has paused the outbox
 */
public record OutboxLevels(
        long pending,
        Duration oldest,
        long deadLetters,
        int cap,
        @Nullable OutboxPause pause) {}
