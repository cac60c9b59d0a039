package dev.postrider.cli.debezium;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.CliFormats;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The configuration of a connector for one outbox. */
@Command(
        name = "config",
        description = {
            "Prints the configuration of a Debezium connector that delivers this outbox, as JSON for Kafka Connect.",
            "Looks at the outbox and changes nothing. What is still to be done in the database is said on standard error.",
            "The connector uses the transform of postrider-connect, so that its records are those of a relay: topics,"
                    + " keys, payloads and headers follow the same settings. With --stock it uses Debezium's own router,"
                    + " which needs nothing of ours on the worker and cannot do all of it; what, is said as well."
        },
        footer = {
            "",
            "Examples:",
            "  postrider debezium config",
            "  postrider debezium config --stock",
            "  postrider debezium config --outbox orders --name orders-cdc > connector.json"
        })
final class DebeziumConfigCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = PrintedConnector.options();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--stock", description = "Use Debezium's own outbox event router, with its restrictions.")
    private boolean stock;

    @Option(
            names = "--name",
            paramLabel = "<name>",
            description = "Name of the connector. Default: postrider- and the table's name.")
    private @Nullable String name;

    @Option(
            names = "--slot",
            paramLabel = "<name>",
            description = "Replication slot of the connector. Default: postrider_ and the table's name.")
    private @Nullable String slot;

    @Option(
            names = "--publication",
            paramLabel = "<name>",
            description = "Publication of the outbox's inserts. Default: postrider_ and the table's name.")
    private @Nullable String publication;

    @Option(
            names = "--undeliverable-topic",
            paramLabel = "<topic>",
            description = "Topic of events that cannot be sent, such as those whose type leads to no topic. Default:"
                    + " the connector's name and -undeliverable.")
    private @Nullable String undeliverableTopic;

    @Option(
            names = "--with-password",
            description = "Print the database's password. Otherwise the worker is to read it from its environment"
                    + " variable POSTRIDER_DB_PASSWORD.")
    private boolean withPassword;

    private DebeziumConfigCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        DebeziumConfigCommand command = new DebeziumConfigCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Settings settings = options.read(environment.directory(), environment.variables());
        PrintedConnector connector = PrintedConnector.of(
                settings,
                environment.directory(),
                names(settings.get(KnownSettings.OUTBOX_TABLE)),
                new PrintedConnector.Wanted(stock, withPassword));
        environment.printJson(connector.config());
        connector.notes().forEach(note -> environment.err().println("postrider: " + note));
        return CommandLine.ExitCode.OK;
    }

    private ConnectorNames names(OutboxTable table) {
        ConnectorNames standard = ConnectorNames.standard(table);
        try {
            String connector = name == null ? standard.connector() : CliFormats.TOPIC.parse(name, "--name");
            return new ConnectorNames(
                    connector,
                    slot == null ? standard.slot() : slot,
                    publication == null ? standard.publication() : publication,
                    undeliverableTopic == null
                            ? ConnectorNames.undeliverableOf(connector)
                            : CliFormats.TOPIC.parse(undeliverableTopic, "--undeliverable-topic"));
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
