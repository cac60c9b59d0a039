package dev.postrider.failure;

import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.time.Duration;

/**
 * When a relay stops sending because the destination is down, and when it tries again.
 *
 * @param window number of latest answers that are considered
 * @param minimumCalls with fewer answers nothing is decided
 * @param failureRate percentage of failures of the destination that opens the circuit; infinite if none does
 * @param openFor how long nothing is sent
 * @param trialCalls number of events that are sent afterwards to decide whether it closes
 */
public record CircuitSettings(int window, int minimumCalls, double failureRate, Duration openFor, int trialCalls) {
    private static final double NONE = Double.POSITIVE_INFINITY;

    private static final Format<Double> PERCENTAGE = Formats.number(0, 100);

    private static final Format<Double> RATE = Format.<Double>of(
                    Double.class,
                    "<number|off>",
                    "a number or off",
                    text -> text.equals("off") ? NONE : PERCENTAGE.parse(text, "relay.circuit.failure-rate"),
                    rate -> rate == NONE ? "off" : PERCENTAGE.print(rate))
            .within(rate -> rate > 0 && (rate <= 100 || rate == NONE), "a number above 0 and at most 100, or off");

    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Circuit breaker");

    private static final Option<Integer> WINDOW = GROUP.add(Option.of(
            "relay.circuit.window",
            Formats.wholeNumber(1, 100_000),
            10,
            "Number of latest answers that decide whether the destination counts as down."));
    private static final Option<Integer> MINIMUM_CALLS = GROUP.add(Option.of(
            "relay.circuit.minimum-calls",
            Formats.wholeNumber(1, 100_000),
            5,
            "With fewer answers nothing is decided. At most relay.circuit.window."));
    private static final Option<Double> FAILURE_RATE = GROUP.add(Option.of(
            "relay.circuit.failure-rate",
            RATE,
            50.0,
            "Percentage of failures that opens the circuit. If off, it is never open."));
    private static final Option<Duration> OPEN_FOR = GROUP.add(Option.of(
            "relay.circuit.open-for",
            Formats.POSITIVE_DURATION,
            Duration.ofSeconds(30),
            "How long nothing is sent while the circuit is open."));
    private static final Option<Integer> TRIAL_CALLS = GROUP.add(Option.of(
            "relay.circuit.trial-calls",
            Formats.wholeNumber(1, 100_000),
            3,
            "Number of events that are sent afterwards to decide whether the circuit closes."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public static final CircuitSettings DEFAULT = of(OptionValues.NONE);

    /** A circuit that is never open: events are sent to a destination that is down as to any other. */
    public static final CircuitSettings OFF = new CircuitSettings(
            DEFAULT.window(), DEFAULT.minimumCalls(), NONE, DEFAULT.openFor(), DEFAULT.trialCalls());

    public CircuitSettings {
        WINDOW.check(window);
        MINIMUM_CALLS.check(minimumCalls);
        if (minimumCalls > window) {
            throw MINIMUM_CALLS.invalid(minimumCalls, "at most " + WINDOW.key() + ", which is " + window);
        }
        FAILURE_RATE.check(failureRate);
        OPEN_FOR.check(openFor);
        TRIAL_CALLS.check(trialCalls);
    }

    /** Whether the circuit is never open. */
    public boolean isOff() {
        return failureRate == NONE;
    }

    public static CircuitSettings of(OptionValues values) {
        return new CircuitSettings(
                values.get(WINDOW),
                values.get(MINIMUM_CALLS),
                values.get(FAILURE_RATE),
                values.get(OPEN_FOR),
                values.get(TRIAL_CALLS));
    }
}
