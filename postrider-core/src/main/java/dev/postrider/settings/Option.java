package dev.postrider.settings;

import dev.postrider.PostriderException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be set.
 *
 * @param key its name everywhere, such as {@code relay.batch-size}; dots mean nesting
 * @param flag its name on the command line, for the few that have one
 * @param format which values it accepts
 * @param defaultValue null if there is none
 * @param description one or two sentences
 */
public record Option<T>(
        String key,
        @Nullable String flag,
        Format<T> format,
        @Nullable T defaultValue,
        String description) {

    private static final Pattern KEY = Pattern.compile("[a-z]+(-[a-z]+)*(\\.[a-z]+(-[a-z]+)*)*");

    public Option {
        if (!KEY.matcher(key).matches() || !description.endsWith(".")) {
            throw new PostriderException("The option " + key
                    + " is not well described: its key has lower-case words with hyphens and dots, its description is a"
                    + " sentence.");
        }
        if (defaultValue != null) {
            format.check(defaultValue, key);
        }
    }

    public static <T> Option<T> of(String key, Format<T> format, T defaultValue, String description) {
        return new Option<>(key, null, format, defaultValue, description);
    }

    public static <T> Option<T> withoutDefault(String key, Format<T> format, String description) {
        return new Option<>(key, null, format, null, description);
    }

    /** The same with a flag, such as {@code --batch-size}. */
    public Option<T> withFlag(String name) {
        return new Option<>(key, name, format, defaultValue, description);
    }

    /** The default as a user would write it; empty if there is none to show. */
    public String defaultText() {
        return defaultValue == null || format.isSecret() ? "" : format.print(defaultValue);
    }

    /**
     * @throws InvalidOptionException if it is not the text of an allowed value
     */
    public T parse(String text) {
        return format.parse(text, key);
    }

    /**
     * @throws InvalidOptionException if the value is not allowed
     */
    public T check(T value) {
        return format.check(value, key);
    }

    /**
     * The exception to throw if a value does not fit the value of another option.
     *
     * @param allowed completes the sentence "it must be …"
     */
    public InvalidOptionException invalid(T value, String allowed) {
        return format.invalid(value, key, allowed);
    }
}
