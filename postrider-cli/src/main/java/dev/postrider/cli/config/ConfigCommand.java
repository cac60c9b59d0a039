package dev.postrider.cli.config;

import dev.postrider.cli.command.CommandEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What can be done about settings. */
@Command(
        name = "config",
        description = "Checks settings and shows where each of them comes from.",
        footer = {
            "",
            "Examples:",
            "  postrider config check",
            "  postrider config check --config /etc/postrider.yml --json",
            "",
            "'postrider help config check' says more; 'postrider help settings' lists what can be set."
        })
public final class ConfigCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private ConfigCommand() {}

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new ConfigCommand()).addSubcommand(ConfigCheckCommand.create(environment));
    }
}
