package dev.postrider.cli.doctor.check;

import dev.postrider.cli.settings.Masking;
import org.jspecify.annotations.Nullable;

/**
 * What a check has to say. Passwords never get into it.
 *
 * @param text one or two sentences: what is, and what it means
 * @param fix what can be done about it: a statement, a setting, a command; null if there is nothing to do
 */
public record Finding(
        Severity severity, String text, @Nullable String fix) {
    public Finding {
        text = Masking.mask(text);
        fix = fix == null ? null : Masking.mask(fix);
    }

    public static Finding ok(String text) {
        return new Finding(Severity.OK, text, null);
    }

    public static Finding info(String text, @Nullable String fix) {
        return new Finding(Severity.INFO, text, fix);
    }

    public static Finding warning(String text, String fix) {
        return new Finding(Severity.WARNING, text, fix);
    }

    public static Finding error(String text, String fix) {
        return new Finding(Severity.ERROR, text, fix);
    }

    /** The first line of a failure's message, as a sentence. */
    public static String sentence(Throwable failure) {
        String line = String.valueOf(failure.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        return line.endsWith(".") ? line : line + ".";
    }
}
