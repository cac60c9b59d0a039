package dev.postrider.settings;

import dev.postrider.RelaySettings.Polling;
import java.time.Duration;

/**
 * How often a relay looks for events.
 *
 * @param interval longest wait between two reads of the table while no commit is signalled
 * @param mode whether it polls more often while there is traffic
 */
public record PollSettings(Duration interval, Polling mode) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Polling");

    public static final Option<Duration> INTERVAL = GROUP.add(Option.of(
                    "relay.poll-interval",
                    Formats.POSITIVE_DURATION,
                    Duration.ofSeconds(1),
                    "Longest wait between two reads of the table while no commit is signalled.")
            .withFlag("--poll-interval"));
    public static final Option<Polling> MODE = GROUP.add(Option.of(
            "relay.polling",
            Formats.oneOf(Polling.class),
            Polling.ADAPTIVE,
            "Poll more often while there is traffic (adaptive), or always at the interval (fixed)."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public PollSettings {
        INTERVAL.check(interval);
    }

    public static PollSettings of(OptionValues values) {
        return new PollSettings(values.get(INTERVAL), values.get(MODE));
    }
}
