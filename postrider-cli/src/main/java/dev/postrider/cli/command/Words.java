package dev.postrider.cli.command;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** How the operators' commands write numbers, times and texts that others wrote. */
public final class Words {
    private Words() {}

    /** {@code 1 dead letter}, {@code 1,200 dead letters}. */
    public static String count(long number, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", number, thing, number == 1 ? "" : "s");
    }

    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** On one line, without anything a terminal would take for a command. */
    public static String plain(String text) {
        return text.replaceAll("\\p{Cc}+", " ").strip();
    }

    public static String shortened(String text, int length) {
        String plain = plain(text);
        return plain.length() <= length ? plain : plain.substring(0, length - 3) + "...";
    }
}
