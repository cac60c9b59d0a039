package dev.postrider.alert;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One thing that operations should know.
 *
 * @param rule name of the rule that raised it, for example {@code pending}
 * @param severity how soon somebody should act
 * @param title one line
 * @param text what happened, what happens next, what can be done
 * @param fields facts by name, in the order in which they are shown; a value may be long
 * @param recovery whether it says that the trouble is over
 */
public record Alert(
        String rule, Severity severity, String title, String text, Map<String, String> fields, boolean recovery) {

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
