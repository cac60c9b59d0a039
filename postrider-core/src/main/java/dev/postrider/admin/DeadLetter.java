package dev.postrider.admin;

import dev.postrider.EventStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that was given up, as a list shows it: without its payload.
 *
 * @param id of its row in the outbox
 * @param attempts how often it was tried
 * @param errorClass one word for the kind of failure; {@value #NO_LETTER} if only its row says that it is dead
 * @param reason why it was given up, for people
 * @param rowStatus the current state of its row: DEAD_LETTER, unless somebody has dealt with it in another way; null if
 *     the row is gone
 */
public record DeadLetter(
        long id,
        UUID eventId,
        String type,
        String aggregateType,
        String aggregateId,
        @Nullable String key,
        int attempts,
        String errorClass,
        String reason,
        Instant firstFailedAt,
        Instant diedAt,
        @Nullable EventStatus rowStatus) {

    /** The error class of events whose letter is in the file, or only in an alert. */
    public static final String NO_LETTER = "no-letter";
}
