package dev.postrider.failure;

import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.time.Duration;

/**
 * What a relay does with failed events.
 *
 * @param policy when they are tried again, and how often
 * @param countOutages whether an outage of the destination costs an event a retry
 */
public record RetrySettings(RetryPolicy policy, boolean countOutages) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Retry and backoff");

    static final Option<Duration> BASE = GROUP.add(Option.of(
            "relay.retry.base", Formats.POSITIVE_DURATION, Duration.ofSeconds(2), "Wait before the first retry."));
    static final Option<Double> MULTIPLIER = GROUP.add(
            Option.of("relay.retry.multiplier", Formats.number(1, 1_000), 2.0, "Factor from one wait to the next."));
    static final Option<Duration> CAP = GROUP.add(Option.of(
            "relay.retry.cap",
            Formats.POSITIVE_DURATION,
            Duration.ofMinutes(10),
            "Longest wait between two attempts. At least relay.retry.base."));
    static final Option<Double> JITTER = GROUP.add(
            Option.of(
                    "relay.retry.jitter",
                    Formats.number(0, 1),
                    0.1,
                    "Random extra wait, as a share of the wait, so that events that failed together are not retried together."));
    static final Option<Integer> MAX_RETRIES = GROUP.add(Option.of(
            "relay.retry.max-retries",
            Formats.wholeNumber(0, Integer.MAX_VALUE),
            5,
            "An event becomes a dead letter after this many retries."));
    public static final Option<Boolean> COUNT_OUTAGES = GROUP.add(Option.of(
            "relay.retry.count-outages",
            Formats.YES_OR_NO,
            false,
            "Whether an outage of the destination costs events a retry."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public static RetrySettings of(OptionValues values) {
        return new RetrySettings(backoff(values), values.get(COUNT_OUTAGES));
    }

    static Backoff backoff(OptionValues values) {
        return new Backoff(
                values.get(BASE), values.get(MULTIPLIER), values.get(CAP), values.get(JITTER), values.get(MAX_RETRIES));
    }
}
