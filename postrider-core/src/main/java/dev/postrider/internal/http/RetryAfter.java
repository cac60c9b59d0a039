package dev.postrider.internal.http;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * What a server asks a client to wait: seconds, as whole numbers or as Discord's fractions, or a date. A date is compared
 * with the server's own clock, if the answer says what time it has, so that a wrong clock here changes nothing.
 */
public final class RetryAfter {
    /** Nobody is made to wait longer. */
    public static final Duration LONGEST = Duration.ofHours(1);

    private RetryAfter() {}

    /**
     * @return empty if the answer asks for nothing, or for nothing that can be understood
     */
    public static Optional<Duration> of(HttpHeaders headers) {
        return headers.firstValue("Retry-After").flatMap(text -> seconds(text).or(() -> untilDate(text, headers)));
    }

    private static Optional<Duration> seconds(String text) {
        try {
            double seconds = Double.parseDouble(text.strip());
            return Double.isNaN(seconds)
                    ? Optional.empty()
                    : Optional.of(Duration.ofMillis((long)
                            (Math.max(0, Math.min((double) LONGEST.toSeconds(), seconds)) * 1000)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> untilDate(String text, HttpHeaders headers) {
        return date(text).map(then -> {
            Instant now = headers.firstValue("Date").flatMap(RetryAfter::date).orElseGet(Instant::now);
            Duration wait = Duration.between(now, then);
            if (wait.isNegative()) {
                return Duration.ZERO;
            }
            return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
        });
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
