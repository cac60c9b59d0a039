package dev.postrider;

import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.time.Duration;

/**
 * How long a relay waits for a database that does not answer. Without these, it would wait forever for a connection
 * that was dropped silently, by a firewall or with the machine at its other end.
 *
 * @param connect for a connection, from the driver or from a pool
 * @param answer for the answer to a statement, except for those known to take longer
 * @param lease the same for the statements that renew leases
 */
public record NetworkTimeouts(Duration connect, Duration answer, Duration lease) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Network timeouts of the database");

    /** Longer ones would let the relay's own loop look as if it stood still. */
    private static final Format<Duration> FORMAT =
            Formats.durationBetween(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Option<Duration> CONNECT = GROUP.add(Option.of(
            "relay.connect-timeout", FORMAT, Duration.ofSeconds(5), "Longest wait for a connection to the database."));
    private static final Option<Duration> ANSWER = GROUP.add(Option.of(
            "relay.network-timeout", FORMAT, Duration.ofSeconds(10), "Longest wait for an answer of the database."));
    private static final Option<Duration> LEASE = GROUP.add(Option.of(
            "relay.lease-network-timeout",
            FORMAT,
            Duration.ofSeconds(2),
            "Longest wait for an answer of the database when a lease is renewed."));

    public static final OptionGroup OPTIONS = GROUP.build();

    /** 5 s, 10 s and 2 s. */
    public static final NetworkTimeouts DEFAULT = of(OptionValues.NONE);

    public NetworkTimeouts {
        CONNECT.check(connect);
        ANSWER.check(answer);
        LEASE.check(lease);
    }

    public static NetworkTimeouts of(OptionValues values) {
        return new NetworkTimeouts(values.get(CONNECT), values.get(ANSWER), values.get(LEASE));
    }
}
