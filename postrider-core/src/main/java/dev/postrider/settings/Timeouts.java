package dev.postrider.settings;

import java.time.Duration;

/**
 * How long a relay waits, and how long others wait for it.
 *
 * @param lease other relays take over if the lease is not renewed for this long
 * @param drain how long a stop waits for events in flight
 * @param noAnswer warn if the destination has not answered an event for this long
 */
public record Timeouts(Duration lease, Duration drain, Duration noAnswer) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Leases and timeouts");

    public static final Option<Duration> LEASE = GROUP.add(Option.of(
            "relay.lease-length",
            Formats.durationOfAtLeast(Duration.ofMillis(500)),
            Duration.ofSeconds(3),
            "Other relays take over if the lease is not renewed for this long."));
    public static final Option<Duration> DRAIN = GROUP.add(Option.of(
            "relay.drain-timeout",
            Formats.POSITIVE_DURATION,
            Duration.ofSeconds(10),
            "How long a stop waits for events in flight."));
    public static final Option<Duration> NO_ANSWER = GROUP.add(Option.of(
            "relay.no-answer-after",
            Formats.POSITIVE_DURATION,
            Duration.ofSeconds(30),
            "Warn if the destination has not answered an event for this long."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public Timeouts {
        LEASE.check(lease);
        DRAIN.check(drain);
        NO_ANSWER.check(noAnswer);
    }

    public static Timeouts of(OptionValues values) {
        return new Timeouts(values.get(LEASE), values.get(DRAIN), values.get(NO_ANSWER));
    }
}
