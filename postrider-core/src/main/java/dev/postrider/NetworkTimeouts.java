package dev.postrider;

import java.time.Duration;

/**
 * How long a relay believes in a database that says nothing. A connection that is dropped without a word, by a firewall or
 * with the machine at its other end, would otherwise be waited for without end.
 *
 * @param connect until a connection is there: from the driver or from a pool
 * @param answer until a statement's answer comes, except for those known to take longer
 * @param lease the same for the statements that renew leases
 */
public record NetworkTimeouts(Duration connect, Duration answer, Duration lease) {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** 5 s, 10 s and 2 s. */
    public static final NetworkTimeouts DEFAULT =
            new NetworkTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(2));

    public NetworkTimeouts {
        require(connect, "connect-timeout");
        require(answer, "network-timeout");
        require(lease, "lease-network-timeout");
    }

    /** Longer ones would let the relay's own loop look as if it stood still. */
    private static void require(Duration value, String option) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new PostriderException("The relay's " + option + " is " + value + "; it must be between "
                    + SHORTEST.toMillis() + " ms and " + LONGEST.toSeconds() + " s.");
        }
    }
}
