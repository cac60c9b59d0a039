package dev.postrider.admin;

import org.jspecify.annotations.Nullable;

/**
 * What to send once more, and where.
 *
 * @param destination with Kafka a topic; null means the destination of each event's type
 * @param afterId only events with a higher id: 0, or where an earlier replay stopped
 */
public record ReplayRequest(ReplayScope scope, @Nullable String destination, long afterId) {
    /**
     * The header by which consumers distinguish a replay from a first delivery; its value is the time of the replay.
     */
    public static final String HEADER = "postrider-replay";

    /** Everything in the scope, to its original destinations. */
    public static ReplayRequest of(ReplayScope scope) {
        return new ReplayRequest(scope, null, 0);
    }

    /** In words, for prompts and for the audit table. */
    public String inWords() {
        return scope.inWords()
                + (afterId > 0 ? ", after id " + afterId : "")
                + (destination == null ? "" : ", to " + destination);
    }
}
