package dev.postrider.alert;

import dev.postrider.PostriderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is worth an alert. A number is a threshold that must be exceeded; {@link #OFF} never is.
 *
 * @param pending level: events not yet published
 * @param failed level: events that wait for their retry
 * @param oldestAge level: age of the oldest event not yet published; null means off
 * @param circuitOpen level: whether to tell that the destination takes no events
 * @param unanswered level: events that the destination has not answered for longer than the relay's no-answer-after
 * @param failuresPerMinute attempts that failed, for whatever reason
 * @param recovered events put back that a dead relay had claimed
 * @param deadLetters events given up in a minute; with 0, each is told at once
 * @param integrityFailures rows changed after they were written, in a minute; with 0, each is told at once
 * @param singlesPerMinute so many dead letters, and as many integrity failures, are told one by one; more are summed up
 * @param coolDown the same rule is not told again before; events told one by one are
 * @param interval how often levels and rates are looked at
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

    public AlertRules {
        requireThreshold(pending, "pending");
        requireThreshold(failed, "failed");
        require(oldestAge == null || !oldestAge.isNegative(), "oldest-age", oldestAge, "0 or more");
        requireThreshold(unanswered, "unanswered");
        requireThreshold(failuresPerMinute, "failures-per-minute");
        requireThreshold(recovered, "recovered");
        requireThreshold(deadLetters, "dead-letters");
        requireThreshold(integrityFailures, "integrity-failures");
        require(
                singlesPerMinute >= 0 && singlesPerMinute <= 1000,
                "singles-per-minute",
                singlesPerMinute,
                "between 0 and 1000");
        require(!coolDown.isNegative(), "cool-down", coolDown, "0 or more");
        require(interval.compareTo(Duration.ofSeconds(1)) >= 0, "interval", interval, "at least a second");
    }

    public static AlertRules defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void requireThreshold(long value, String option) {
        require(value >= 0, option, value, "0 or more");
    }

    private static void require(boolean holds, String option, @Nullable Object value, String allowed) {
        if (!holds) {
            throw new PostriderException("alerts." + option + " is " + value + "; it must be " + allowed + ".");
        }
    }

    /** Collects rules; what is not named keeps its default. */
    public static final class Builder {
        private long pending = 10_000;
        private long failed = 100;
        private @Nullable Duration oldestAge;
        private boolean circuitOpen = true;
        private long unanswered;
        private long failuresPerMinute = 10;
        private long recovered;
        private long deadLetters;
        private long integrityFailures;
        private int singlesPerMinute = 20;
        private Duration coolDown = Duration.ofMinutes(15);
        private Duration interval = Duration.ofMinutes(1);

        private Builder() {}

        /** Default: 10 000. */
        public Builder pending(long threshold) {
            this.pending = threshold;
            return this;
        }

        /** Default: 100. */
        public Builder failed(long threshold) {
            this.failed = threshold;
            return this;
        }

        /** Default: off. */
        public Builder oldestAge(@Nullable Duration threshold) {
            this.oldestAge = threshold;
            return this;
        }

        /** Default: told. */
        public Builder circuitOpen(boolean told) {
            this.circuitOpen = told;
            return this;
        }

        /** Default: 0. */
        public Builder unanswered(long threshold) {
            this.unanswered = threshold;
            return this;
        }

        /** Default: 10. */
        public Builder failuresPerMinute(long threshold) {
            this.failuresPerMinute = threshold;
            return this;
        }

        /** Default: 0. */
        public Builder recovered(long threshold) {
            this.recovered = threshold;
            return this;
        }

        /** Default: 0. */
        public Builder deadLetters(long threshold) {
            this.deadLetters = threshold;
            return this;
        }

        /** Default: 0. */
        public Builder integrityFailures(long threshold) {
            this.integrityFailures = threshold;
            return this;
        }

        /** Default: 20. */
        public Builder singlesPerMinute(int limit) {
            this.singlesPerMinute = limit;
            return this;
        }

        /** Default: 15 minutes. */
        public Builder coolDown(Duration coolDown) {
            this.coolDown = coolDown;
            return this;
        }

        /** Default: 1 minute. */
        public Builder interval(Duration interval) {
            this.interval = interval;
            return this;
        }

        public AlertRules build() {
            return new AlertRules(
                    pending,
                    failed,
                    oldestAge,
                    circuitOpen,
                    unanswered,
                    failuresPerMinute,
                    recovered,
                    deadLetters,
                    integrityFailures,
                    singlesPerMinute,
                    coolDown,
                    interval);
        }
    }
}
