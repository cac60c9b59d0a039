package dev.postrider.cli.status;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says how an outbox stands. */
@Command(
        name = "status",
        description = {
            "Shows how an outbox stands.",
            "Its layout, whether it is paused, events by state, the oldest that waits, destinations that take nothing, how far each shard of a log is behind and who reads it, relays"
                    + " and what they hold, open write transactions."
        },
        footer = {
            "",
            "Examples:",
            "  postrider status --db-url jdbc:postgresql://localhost:5432/app --db-user app",
            "  postrider status --json"
        })
public final class StatusCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    private StatusCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        StatusCommand command = new StatusCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Settings settings = options.read(environment.directory(), environment.variables());
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Database database = Database.of(settings, environment.directory());
        OutboxStatus status =
                OutboxAdmin.builder(database.single()).table(table).build().status();
        if (common.json()) {
            environment.printJson(StatusReport.json(table, status));
        } else {
            environment.out().print(StatusReport.text(table, status));
        }
        return CommandLine.ExitCode.OK;
    }
}
