package dev.postrider.cli.topics;

import dev.postrider.cli.command.CommandEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What can be done about topics. */
@Command(
        name = "topics",
        description = {
            "Makes Kafka's topics as the settings want them, sends dead letters back to their topics, and ends"
                    + " transactions that were left open.",
            "Without a command: shows what is different from what the settings want, and changes nothing."
        },
        footer = {
            "",
            "Examples:",
            "  postrider topics",
            "  postrider topics apply --dry-run",
            "  postrider topics apply",
            "  postrider topics redrive order-events.dlq --dry-run",
            "  postrider topics abort-transaction --topic order-events --partition 2 --start-offset 4711",
            "",
            "'postrider topics apply --help' says more; all of them understand --json."
        })
public final class TopicsCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private TopicsCommand() {}

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new TopicsCommand())
                .addSubcommand(TopicsApplyCommand.create(environment))
                .addSubcommand(TopicsRedriveCommand.create(environment))
                .addSubcommand(TopicsAbortTransactionCommand.create(environment));
    }
}
