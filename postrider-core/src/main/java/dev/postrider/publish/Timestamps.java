package dev.postrider.publish;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Times as text, as {@link Instant#toString()} has it. That takes longer than all else that is done to make a message of an
 * event; but events that are sent together were mostly written within the same second. Any thread.
 */
final class Timestamps {
    /**
     * @param text without a fraction, up to the seconds
     */
    private record Second(long epochSecond, String text) {}

    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("9999-12-31T23:59:59Z").plusSeconds(1);

    private volatile @Nullable Second last;

    /** Years of four digits are all that RFC 3339 knows. */
    static boolean isExpressible(Instant time) {
        return !time.isBefore(FIRST) && time.isBefore(END);
    }

    String format(Instant time) {
        long epochSecond = time.getEpochSecond();
        Second second = last;
        if (second == null || second.epochSecond() != epochSecond) {
            String whole = Instant.ofEpochSecond(epochSecond).toString();
            second = new Second(epochSecond, whole.substring(0, whole.length() - 1));
            last = second;
        }
        int nanos = time.getNano();
        if (nanos == 0) {
            return second.text() + "Z";
        }
        return nanos % 1_000_000 == 0
                ? fraction(second, nanos / 1_000_000, 3)
                : nanos % 1_000 == 0 ? fraction(second, nanos / 1_000, 6) : fraction(second, nanos, 9);
    }

    private static String fraction(Second second, int value, int digits) {
        StringBuilder text = new StringBuilder(second.text().length() + digits + 2)
                .append(second.text())
                .append('.');
        String number = Integer.toString(value);
        return text.append("0".repeat(digits - number.length()))
                .append(number)
                .append('Z')
                .toString();
    }
}
