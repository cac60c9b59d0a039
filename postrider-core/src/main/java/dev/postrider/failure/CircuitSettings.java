package dev.postrider.failure;

import dev.postrider.PostriderException;
import java.time.Duration;

/**
 * When a relay stops sending because the destination is down, and when it tries again.
 *
 * @param window the last so many answers are looked at
 * @param minimumCalls with fewer answers nothing is decided
 * @param failureRate percentage of the destination's failures that opens the circuit
 * @param openFor how long nothing is sent
 * @param trialCalls then so many events decide whether it closes
 */
public record CircuitSettings(int window, int minimumCalls, double failureRate, Duration openFor, int trialCalls) {
    public static final CircuitSettings DEFAULT = new CircuitSettings(10, 5, 50, Duration.ofSeconds(30), 3);

    public CircuitSettings {
        require(window >= 1, "window", window, "1 or more");
        require(minimumCalls >= 1 && minimumCalls <= window, "minimum-calls", minimumCalls, "between 1 and the window");
        require(failureRate > 0 && failureRate <= 100, "failure-rate", failureRate, "more than 0 and at most 100");
        require(!openFor.isNegative() && !openFor.isZero(), "open-for", openFor, "longer than nothing");
        require(trialCalls >= 1, "trial-calls", trialCalls, "1 or more");
    }

    private static void require(boolean holds, String option, Object value, String allowed) {
        if (!holds) {
            throw new PostriderException("circuit." + option + " is " + value + "; it must be " + allowed + ".");
        }
    }
}
