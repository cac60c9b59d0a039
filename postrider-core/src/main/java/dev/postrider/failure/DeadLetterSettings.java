package dev.postrider.failure;

import java.nio.file.Path;

/**
 * What becomes of events that are given up.
 *
 * @param then whether the later events of the key go on
 * @param file where dead letters are written if the database's table cannot take them
 * @param tellPayload whether payload and headers are part of the alert and of the line in the log that a dead letter becomes
 *     when neither table nor file takes it. If not, it can be made again only as long as its row is in the outbox
 */
public record DeadLetterSettings(Then then, Path file, boolean tellPayload) {
    public static final DeadLetterSettings DEFAULT =
            new DeadLetterSettings(Then.CONTINUE, Path.of("postrider-dead-letters.jsonl"));

    /** Tells payloads where nothing else can keep them. */
    public DeadLetterSettings(Then then, Path file) {
        this(then, file, true);
    }

    /** What the later events of a dead letter's key do. */
    public enum Then {
        /** They are sent: the dead letter is missing from its place. */
        CONTINUE,
        /** They wait until a person has sent the dead letter again or discarded it. */
        HOLD_KEY
    }
}
