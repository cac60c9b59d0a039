package dev.postrider.cli.admin;

import dev.postrider.PostriderException;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Everything there is to know about one dead letter. */
@Command(
        name = "show",
        description = {
            "Shows one dead letter with everything that is in it.",
            "This is the only command that shows a payload."
        },
        footer = {"", "Example:", "  postrider dead show 4711"})
final class DeadShowCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(paramLabel = "<id>", description = "Id of its row in the outbox, as the list shows it.")
    private String id = "";

    private DeadShowCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        DeadShowCommand command = new DeadShowCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        long wanted = SelectionOptions.ID.parse(id, "The id");
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            DeadLetterContent content = outbox.admin()
                    .get(wanted)
                    .orElseThrow(() -> new PostriderException(
                            "There is no dead letter " + wanted + " in outbox " + outbox.table() + "."));
            if (common.json()) {
                environment.printJson(DeadLetterReport.json(content));
            } else {
                environment.out().print(DeadLetterReport.text(content));
            }
        }
        return CommandLine.ExitCode.OK;
    }
}
