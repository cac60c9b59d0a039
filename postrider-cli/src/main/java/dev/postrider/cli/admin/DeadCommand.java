package dev.postrider.cli.admin;

import dev.postrider.cli.command.CommandEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What can be done about events that were given up. */
@Command(
        name = "dead",
        description = {
            "Shows dead letters, sends them again, or discards them.",
            "Without a command: lists them, and takes the options of that.",
            "A dead letter is an event that was given up: it was refused for good, or too often. It waits for a person."
        },
        footer = {
            "",
            "Examples:",
            "  postrider dead",
            "  postrider dead --since 2h",
            "  postrider dead show 4711",
            "  postrider dead retry --error-class RecordTooLargeException",
            "  postrider dead discard --id 4711",
            "",
            "'postrider dead COMMAND --help' says more; each understands --json."
        })
public final class DeadCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private DeadCommand() {}

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new DeadCommand())
                .addSubcommand(DeadListCommand.create(environment))
                .addSubcommand(DeadShowCommand.create(environment))
                .addSubcommand(DeadRetryCommand.create(environment))
                .addSubcommand(DeadDiscardCommand.create(environment));
    }
}
