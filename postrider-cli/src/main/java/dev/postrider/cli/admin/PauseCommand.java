package dev.postrider.cli.admin;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxPause;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops all delivery from an outbox until it is resumed. */
@Command(
        name = "pause",
        description = {
            "Pauses an outbox: its relays settle what is in flight and send nothing more.",
            "Writers go on, relays keep running and keep their leases. The pause outlives restarts; 'postrider resume' ends it."
        },
        footer = {"", "Examples:", "  postrider pause --reason 'the consumers are being migrated'"})
public final class PauseCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "<text>",
            description = "Why; shown by status, doctor and alerts while the outbox is paused.")
    private String reason = "";

    private PauseCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        PauseCommand command = new PauseCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        String name = actor.name();
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            OutboxAdmin.Paused paused = outbox.admin().pause(name, reason);
            OutboxPause pause = paused.pause();
            if (common.json()) {
                Map<String, Object> object = json(pause);
                object.put("already", paused.already());
                environment.printJson(object);
            } else {
                environment
                        .out()
                        .println("Outbox " + outbox.table()
                                + (paused.already() ? " was paused already, " : " is paused ")
                                + pause.inWords());
            }
        }
        return CommandLine.ExitCode.OK;
    }

    static Map<String, Object> json(OutboxPause pause) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("by", pause.actor());
        object.put("since", pause.since().toString());
        object.put("reason", pause.reason());
        return object;
    }
}
