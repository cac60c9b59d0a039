package dev.postrider.settings;

import dev.postrider.RelaySettings.Polling;
import dev.postrider.WakeUp;
import java.time.Duration;

/**
 * How often a relay looks for events, and what else makes it look.
 *
 * @param interval longest wait between two reads of the table while no commit is signalled
 * @param mode whether it polls more often while there is traffic
 * @param wakeUp what wakes it when another process has committed events
 */
public record PollSettings(Duration interval, Polling mode, WakeUp wakeUp) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Polling and wake-ups");

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
    public static final Option<WakeUp> WAKE_UP = GROUP.add(Option.of(
                    "relay.wake-up",
                    Formats.oneOf(WakeUp.class),
                    WakeUp.AUTO,
                    "What wakes relays when other processes commit events: the replication stream of PostgreSQL (wal),"
                            + " notifications (notify), or nothing (poll); auto is wal if a replication role is"
                            + " configured, else notify.")
            .withFlag("--wake-up"));

    public static final OptionGroup OPTIONS = GROUP.build();

    public PollSettings {
        INTERVAL.check(interval);
    }

    public static PollSettings of(OptionValues values) {
        return new PollSettings(values.get(INTERVAL), values.get(MODE), values.get(WAKE_UP));
    }
}
