package dev.postrider.cli.admin;

import dev.postrider.OutboxPause;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends the pause of an outbox. */
@Command(
        name = "resume",
        description = "Ends the pause of an outbox: its relays go on within a second.",
        footer = {"", "Examples:", "  postrider resume"})
public final class ResumeCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private ActorOption actor = new ActorOption();

    private ResumeCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        ResumeCommand command = new ResumeCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        String name = actor.name();
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            Optional<OutboxPause> ended = outbox.admin().resume(name);
            if (common.json()) {
                Map<String, @Nullable Object> object = new LinkedHashMap<>();
                object.put("resumed", ended.isPresent());
                object.put("paused", ended.map(PauseCommand::json).orElse(null));
                environment.printJson(object);
            } else {
                environment
                        .out()
                        .println(ended.map(pause ->
                                        "Outbox " + outbox.table() + " goes on; it was paused " + pause.inWords())
                                .orElse("Outbox " + outbox.table() + " is not paused. Nothing was changed."));
            }
        }
        return CommandLine.ExitCode.OK;
    }
}
