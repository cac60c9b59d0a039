package dev.postrider.failure;

import java.nio.file.Path;

/**
 * What becomes of events that are given up.
 *
 * @param then whether the later events of the key go on
 * @param file where dead letters are written if the database's table cannot take them
 */
public record DeadLetterSettings(Then then, Path file) {
    public static final DeadLetterSettings DEFAULT =
            new DeadLetterSettings(Then.CONTINUE, Path.of("postrider-dead-letters.jsonl"));

    /** What the later events of a dead letter's key do. */
    public enum Then {
        /** They are sent: the dead letter is missing from its place. */
        CONTINUE,
        /** They wait until a person has sent the dead letter again or discarded it. */
        HOLD_KEY
    }
}
