package dev.postrider;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pause that an operator has set: nothing is delivered. Stored in the outbox's settings, so it survives restarts.
 *
 * @param actor who paused it
 * @param since when, by the database's clock
 * @param reason why, in the operator's words
 */
public record OutboxPause(String actor, Instant since, String reason) {
    /** The name of the setting that holds it. */
    public static final String SETTING = "paused";

    private static final String UNKNOWN = "unknown";

    /** The stored form: one line each for the time, the actor and the reason. */
    public String stored() {
        return since + "\n" + actor.replace('\n', ' ') + "\n" + reason;
    }

    /**
     * Reads what {@link #stored} wrote. Any other text that is not blank also means a pause: somebody has written it by
     * hand.
     *
     * @return null if the outbox is not paused
     */
    public static @Nullable OutboxPause parse(@Nullable String stored) {
        if (stored == null || stored.isBlank()) {
            return null;
        }
        String[] lines = stored.split("\n", 3);
        try {
            if (lines.length == 3) {
                return new OutboxPause(lines[1], Instant.parse(lines[0]), lines[2]);
            }
        } catch (DateTimeException e) {
            // By hand.
        }
        return new OutboxPause(UNKNOWN, Instant.EPOCH, stored);
    }

    /** {@code by alice since 2026-11-17T10:15:30Z: the broker moves}; on one line, without control characters. */
    public String inWords() {
        String when = since.equals(Instant.EPOCH) ? "" : " since " + since;
        return ("by " + actor + when + ": " + reason)
                .replaceAll("\\p{Cc}+", " ")
                .strip();
    }

    /** As {@link #inWords}, with a full stop, so that another sentence can follow. */
    public String asSentence() {
        String words = inWords();
        return words.endsWith(".") || words.endsWith("!") || words.endsWith("?") ? words : words + ".";
    }
}
