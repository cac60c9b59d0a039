package dev.postrider.cli.config;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.OutboxSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.relay.RelayCheck;
import dev.postrider.cli.settings.Masking;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether a relay could be started with what is set, and what that is. */
@Command(
        name = "check",
        description = {
            "Checks the settings as 'postrider relay' would, and shows what is set and where. Connects to nobody.",
            "Shows no secrets. The exit status is 0 if a relay could be started, and 2 if something is wrong or missing."
        },
        footer = {
            "",
            "Examples:",
            "  postrider config check",
            "  postrider config check --config /etc/postrider.yml --all",
            "  postrider config check --outbox orders --json"
        })
final class ConfigCheckCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions(
            Destinations.groupsAnd(any -> true, "db", "table", "relay", "retention", "alerts", "http", "topics"));

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--all", description = "Show defaults as well. With --json they are always there.")
    private boolean all;

    private ConfigCheckCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        ConfigCheckCommand command = new ConfigCheckCommand(environment);
        CommandLine line = command.options.addTo(new CommandLine(command));
        line.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        return line;
    }

    @Override
    public Integer call() {
        OutboxSettings settings = options.readOutboxes(environment.directory(), environment.variables());
        List<String> problems = RelayCheck.problems(settings, environment);
        if (common.json()) {
            environment.printJson(json(settings, problems));
        } else {
            print(settings, problems.isEmpty());
        }
        problems.forEach(problem -> environment.err().println("postrider: " + problem));
        return problems.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.USAGE;
    }

    private static Map<String, Object> json(OutboxSettings settings, List<String> problems) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("valid", problems.isEmpty());
        object.put("problems", problems.stream().map(Masking::mask).toList());
        if (settings.named().isEmpty()) {
            object.put("settings", SettingsReport.json(settings.general()));
        } else {
            Map<String, Object> outboxes = new LinkedHashMap<>();
            settings.named().forEach((name, own) -> outboxes.put(name, SettingsReport.json(own)));
            object.put("outboxes", outboxes);
        }
        return object;
    }

    private void print(OutboxSettings settings, boolean valid) {
        if (settings.named().isEmpty()) {
            environment.out().print(SettingsReport.text(settings.general(), all));
        }
        settings.named().forEach((name, own) -> {
            environment.out().println("Outbox " + name);
            environment.out().println(SettingsReport.text(own, all));
        });
        if (!all) {
            environment.out().println("Everything else has its default; --all shows it.");
        }
        if (valid) {
            environment.out().println("A relay can be started with these settings.");
        }
    }
}
