package dev.postrider.alert;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One thing that operations should know.
 *
 * @param rule name of the rule that raised it: one of the constants below
 * @param severity how soon somebody should act
 * @param title one line
 * @param text what happened, what happens next, what can be done
 * @param fields details by name, in the order in which they are shown; a value may be long
 * @param recovery whether it says that the problem is over
 */
public record Alert(
        String rule, Severity severity, String title, String text, Map<String, String> fields, boolean recovery) {
    public static final String PENDING = "pending";
    public static final String FAILED = "failed";
    public static final String OLDEST_AGE = "oldest-age";
    public static final String PAUSED = "paused";
    public static final String CIRCUIT = "circuit";
    public static final String UNANSWERED = "unanswered";
    public static final String DESTINATION = "destination";
    public static final String FAILURE_RATE = "failures-per-minute";
    public static final String RECOVERED = "recovered";
    public static final String FAILOVER = "failover";
    public static final String DEAD_LETTER = "dead-letter";
    public static final String DEAD_LETTER_IN_FILE = "dead-letter-in-file";
    public static final String DEAD_LETTER_UNSAVED = "dead-letter-unsaved";
    public static final String INTEGRITY = "integrity";

    /** How soon somebody should act. */
    public enum Severity {
        /** Look at it. */
        WARNING,
        /** Act. */
        CRITICAL
    }

    public Alert {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
}
