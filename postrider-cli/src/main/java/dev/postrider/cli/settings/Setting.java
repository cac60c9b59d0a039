package dev.postrider.cli.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be set.
 *
 * @param key path in the file, for example {@code relay.batch-size}
 * @param flag on the command line; null if it has none
 * @param format how its text is read
 * @param standard its value if it is not set; null if it has none
 * @param description for the help, without a full stop
 */
public record Setting<T>(
        String key,
        @Nullable String flag,
        Format<T> format,
        @Nullable T standard,
        String description) {

    private static final String VARIABLE_PREFIX = "POSTRIDER_";

    /** Its name in the environment. */
    String variable() {
        return variable(key);
    }

    static String variable(String key) {
        return VARIABLE_PREFIX + key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    /** All ways to set it, for messages. */
    String ways() {
        String others = variable() + " or the key in postrider.yml";
        return flag == null ? others : flag + ", " + others;
    }

    /** Its default as a user would write it; empty if there is none. */
    String standardText() {
        return standard == null ? "" : format.print(standard);
    }

    /** Whether it is the given path or lies below it. */
    boolean isWithin(String path) {
        return key.equals(path) || key.startsWith(path + ".");
    }
}
