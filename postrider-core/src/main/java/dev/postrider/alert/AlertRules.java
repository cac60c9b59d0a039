package dev.postrider.alert;

import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionMap;
import dev.postrider.settings.OptionValues;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When to send alerts. A number is a threshold that must be exceeded; {@link #OFF} never is.
 *
 * @param pending level: events not yet published
 * @param failed level: events that wait for their retry
 * @param oldestAge level: age of the oldest event not yet published; null means off
 * @param circuitOpen level: whether to alert when the destination accepts no events
 * @param unanswered level: events that the destination has not answered for longer than the relay's no-answer-after
 * @param failuresPerMinute attempts that failed, for any reason
 * @param recovered events put back that a dead relay had claimed
 * @param deadLetters events given up in a minute; with 0, there is an alert for each at once
 * @param integrityFailures rows changed after they were written, in a minute; with 0, there is an alert for each at
 *     once
 * @param singlesPerMinute dead letters, and integrity failures, that get their own alert; more are summed up
 * @param coolDown shortest time before the same alert is sent again, except for alerts about single events
 * @param interval how often levels and rates are checked
 */
public record AlertRules(
        long pending,
        long failed,
        @Nullable Duration oldestAge,
        boolean circuitOpen,
        long unanswered,
        long failuresPerMinute,
        long recovered,
        long deadLetters,
        long integrityFailures,
        int singlesPerMinute,
        Duration coolDown,
        Duration interval) {

    /** A threshold that nothing exceeds. */
    public static final long OFF = Long.MAX_VALUE;

    private static final Format<Long> THRESHOLD = Format.<Long>of(
                    Long.class,
                    "<number|off>",
                    "a number or off",
                    text -> text.equals("off") ? OFF : Long.parseLong(text),
                    number -> number == OFF ? "off" : String.valueOf(number))
            .within(number -> number >= 0, "a whole number of 0 or more, or off");

    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Alerts");

    private static final Option<Long> PENDING = GROUP.add(
            Option.of("alerts.pending", THRESHOLD, 10_000L, "Alert if more events than this are not yet published."));
    private static final Option<Long> FAILED = GROUP.add(
            Option.of("alerts.failed", THRESHOLD, 100L, "Alert if more events than this wait for their retry."));
    private static final Option<Long> FAILURES_PER_MINUTE = GROUP.add(Option.of(
            "alerts.failures-per-minute", THRESHOLD, 10L, "Alert if more attempts than this fail in a minute."));
    private static final Option<Long> DEAD_LETTERS = GROUP.add(Option.of(
            "alerts.dead-letters",
            THRESHOLD,
            0L,
            "Alert if there are more dead letters than this in a minute. With 0, alert for each at once."));
    private static final Option<Long> INTEGRITY_FAILURES = GROUP.add(Option.of(
            "alerts.integrity-failures",
            THRESHOLD,
            0L,
            "Alert if more changed rows than this are found in a minute. With 0, alert for each at once."));
    private static final Option<Integer> SINGLES_PER_MINUTE = GROUP.add(Option.of(
            "alerts.singles-per-minute",
            Formats.wholeNumber(0, 1000),
            20,
            "Dead letters, and changed rows, that get their own alert in a minute. More are summed up."));
    private static final Option<Long> RECOVERED = GROUP.add(Option.of(
            "alerts.recovered", THRESHOLD, 0L, "Alert if more events than this are taken over from dead relays."));
    private static final Option<Duration> OLDEST_AGE = GROUP.add(Option.withoutDefault(
            "alerts.oldest-age",
            Formats.DURATION,
            "Alert if an event older than this is not yet published. If not set, off."));
    private static final Option<Boolean> CIRCUIT_OPEN = GROUP.add(
            Option.of("alerts.circuit-open", Formats.YES_OR_NO, true, "Alert if the destination counts as down."));
    private static final Option<Long> UNANSWERED = GROUP.add(Option.of(
            "alerts.unanswered",
            THRESHOLD,
            0L,
            "Alert if more events than this have had no answer for longer than relay.no-answer-after."));
    private static final Option<Duration> COOL_DOWN = GROUP.add(Option.of(
            "alerts.cool-down",
            Formats.DURATION,
            Duration.ofMinutes(15),
            "Shortest time before the same alert is sent again."));
    private static final Option<Duration> INTERVAL = GROUP.add(Option.of(
            "alerts.interval",
            Formats.durationOfAtLeast(Duration.ofSeconds(1)),
            Duration.ofMinutes(1),
            "How often levels and rates are checked."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public AlertRules {
        PENDING.check(pending);
        FAILED.check(failed);
        if (oldestAge != null) {
            OLDEST_AGE.check(oldestAge);
        }
        UNANSWERED.check(unanswered);
        FAILURES_PER_MINUTE.check(failuresPerMinute);
        RECOVERED.check(recovered);
        DEAD_LETTERS.check(deadLetters);
        INTEGRITY_FAILURES.check(integrityFailures);
        SINGLES_PER_MINUTE.check(singlesPerMinute);
        COOL_DOWN.check(coolDown);
        INTERVAL.check(interval);
    }

    public static AlertRules of(OptionValues values) {
        return new AlertRules(
                values.get(PENDING),
                values.get(FAILED),
                values.find(OLDEST_AGE).orElse(null),
                values.get(CIRCUIT_OPEN),
                values.get(UNANSWERED),
                values.get(FAILURES_PER_MINUTE),
                values.get(RECOVERED),
                values.get(DEAD_LETTERS),
                values.get(INTEGRITY_FAILURES),
                values.get(SINGLES_PER_MINUTE),
                values.get(COOL_DOWN),
                values.get(INTERVAL));
    }

    public static AlertRules defaults() {
        return of(OptionValues.NONE);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects rules; options that are not set keep their defaults. */
    public static final class Builder {
        private final OptionMap values = new OptionMap();

        private Builder() {}

        private <T> Builder set(Option<T> option, @Nullable T value) {
            values.set(option, value);
            return this;
        }

        /** Default: 10 000. */
        public Builder pending(long threshold) {
            return set(PENDING, threshold);
        }

        /** Default: 100. */
        public Builder failed(long threshold) {
            return set(FAILED, threshold);
        }

        /** Default: off. */
        public Builder oldestAge(@Nullable Duration threshold) {
            return set(OLDEST_AGE, threshold);
        }

        /** Default: true. */
        public Builder circuitOpen(boolean told) {
            return set(CIRCUIT_OPEN, told);
        }

        /** Default: 0. */
        public Builder unanswered(long threshold) {
            return set(UNANSWERED, threshold);
        }

        /** Default: 10. */
        public Builder failuresPerMinute(long threshold) {
            return set(FAILURES_PER_MINUTE, threshold);
        }

        /** Default: 0. */
        public Builder recovered(long threshold) {
            return set(RECOVERED, threshold);
        }

        /** Default: 0. */
        public Builder deadLetters(long threshold) {
            return set(DEAD_LETTERS, threshold);
        }

        /** Default: 0. */
        public Builder integrityFailures(long threshold) {
            return set(INTEGRITY_FAILURES, threshold);
        }

        /** Default: 20. */
        public Builder singlesPerMinute(int limit) {
            return set(SINGLES_PER_MINUTE, limit);
        }

        /** Default: 15 minutes. */
        public Builder coolDown(Duration coolDown) {
            return set(COOL_DOWN, coolDown);
        }

        /** Default: 1 minute. */
        public Builder interval(Duration interval) {
            return set(INTERVAL, interval);
        }

        public AlertRules build() {
            return of(values);
        }
    }
}
