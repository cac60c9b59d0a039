package dev.postrider.cli.doctor.check;

import java.time.Duration;
import java.util.Locale;

/** Numbers as people read them. */
public final class Amounts {
    private Amounts() {}

    /** {@code 10 s}, {@code 3.2 s}, {@code 2 min 5 s}, {@code 3 h 0 min}, {@code 2 d 7 h}: two units at most. */
    public static String age(Duration age) {
        if (age.toMinutes() == 0) {
            return age.toMillisPart() == 0
                    ? age.toSeconds() + " s"
                    : String.format(Locale.ROOT, "%.1f s", age.toMillis() / 1000.0);
        }
        if (age.toHours() == 0) {
            return age.toMinutes() + " min " + age.toSecondsPart() + " s";
        }
        if (age.toDays() == 0) {
            return age.toHours() + " h " + age.toMinutesPart() + " min";
        }
        return age.toDays() + " d " + age.toHoursPart() + " h";
    }

    public static String bytes(long bytes) {
        if (bytes < 1 << 10) {
            return bytes + " bytes";
        }
        if (bytes < 1 << 20) {
            return String.format(Locale.ROOT, "%.1f KB", bytes / 1024.0);
        }
        return bytes < 1 << 30
                ? String.format(Locale.ROOT, "%.1f MB", bytes / 1024.0 / 1024)
                : String.format(Locale.ROOT, "%.1f GB", bytes / 1024.0 / 1024 / 1024);
    }

    /** {@code 1 event}, {@code 12,345 events}. */
    public static String count(long number, String what) {
        return String.format(Locale.ROOT, "%,d ", number) + what + (number == 1 ? "" : "s");
    }
}
