package dev.postrider.admin;

import org.jspecify.annotations.Nullable;

/**
 * What to send once more, and where.
 *
 * @param destination with Kafka a topic; null means where each event went by its type
 * @param afterId only events with a higher id: 0, or where an earlier replay stopped
 */
public record ReplayRequest(ReplayScope scope, @Nullable String destination, long afterId) {
    /** By this header consumers tell a replay from a first delivery; its value is the time of the replay. */
    public static final String HEADER = "postrider-replay";

    /** Everything in the scope, to where it went before. */
    public static ReplayRequest of(ReplayScope scope) {
        return new ReplayRequest(scope, null, 0);
    }

    /** For questions and for the record of what operators did. */
    public String inWords() {
        return scope.inWords()
                + (afterId > 0 ? ", after id " + afterId : "")
                + (destination == null ? "" : ", to " + destination);
    }
}
