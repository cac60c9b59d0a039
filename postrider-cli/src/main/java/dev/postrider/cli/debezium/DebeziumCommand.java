package dev.postrider.cli.debezium;

import dev.postrider.cli.command.CommandEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What can be done about Debezium. */
@Command(
        name = "debezium",
        description = "Configures Debezium on Kafka Connect, in the relays' place.",
        footer = {
            "",
            "Examples:",
            "  postrider debezium config > connector.json",
            "  curl -X POST -H 'Content-Type: application/json' -d @connector.json http://connect:8083/connectors",
            "",
            "'postrider help debezium config' says more; when to choose it: docs/debezium.md."
        })
public final class DebeziumCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private DebeziumCommand() {}

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new DebeziumCommand()).addSubcommand(DebeziumConfigCommand.create(environment));
    }
}
