package dev.postrider.cli.topics;

import dev.postrider.cli.Surroundings;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What can be done about topics. */
@Command(
        name = "topics",
        description = "Makes Kafka's topics as the settings want them.",
        footer = {
            "",
            "Examples:",
            "  postrider topics apply --dry-run",
            "  postrider topics apply",
            "",
            "'postrider topics apply --help' says more; it understands --json."
        })
public final class TopicsCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private TopicsCommand() {}

    public static CommandLine create(Surroundings surroundings) {
        return new CommandLine(new TopicsCommand()).addSubcommand(TopicsApplyCommand.create(surroundings));
    }
}
