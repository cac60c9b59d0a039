package dev.postrider.cli.relay;

import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.configuration.OutboxSettings;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.util.ArrayList;
import java.util.List;

/** What {@code relay} would refuse before it contacts anybody. */
public final class RelayCheck {
    private RelayCheck() {}

    /** One sentence for each outbox that something is wrong with, without secrets. */
    public static List<String> problems(OutboxSettings settings, CommandEnvironment environment) {
        List<String> problems = new ArrayList<>();
        if (settings.named().isEmpty()) {
            check("", settings.general(), environment, problems);
        }
        settings.named().forEach((name, own) -> check("Outbox " + name + ": ", own, environment, problems));
        return problems;
    }

    private static void check(String prefix, Settings settings, CommandEnvironment environment, List<String> problems) {
        try {
            new OutboxRelay(settings, environment).check();
        } catch (UsageException | PostriderException e) {
            problems.add(Masking.mask(prefix + e.getMessage()));
        }
    }
}
