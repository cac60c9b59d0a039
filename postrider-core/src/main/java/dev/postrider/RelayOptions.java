package dev.postrider;

import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.util.List;
import java.util.stream.Stream;

/**
 * Everything that can be set about a relay. Code that reads settings from somewhere, such as the command line, iterates
 * over these options, and passes the values to {@code of(..)} of the settings.
 */
public final class RelayOptions {
    private RelayOptions() {}

    /** In the order in which they are documented. */
    public static List<OptionGroup> groups() {
        return Stream.concat(
                        RelaySettings.options().stream(),
                        Stream.of(
                                IntegritySettings.OPTIONS,
                                HousekeepingSettings.OPTIONS,
                                AlertRules.OPTIONS,
                                AlertChannels.OPTIONS))
                .toList();
    }

    public static List<Option<?>> all() {
        return groups().stream()
                .<Option<?>>flatMap(group -> group.options().stream())
                .toList();
    }
}
