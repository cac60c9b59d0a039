package dev.postrider.cli.admin;

import dev.postrider.OutboxAdmin;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Confirmation;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes dead letters. */
@Command(
        name = "discard",
        description = {
            "Deletes dead letters for ever: the events will never be sent.",
            "If they held back the later events of their keys, those go on."
        },
        footer = {
            "",
            "Examples:",
            "  postrider dead discard --id 4711",
            "  postrider dead discard --type acme.test.ping.v1 --until 30d --dry-run"
        })
final class DeadDiscardCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private SelectionOptions selection = new SelectionOptions();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Mixin
    private ActorOption actor = new ActorOption();

    private DeadDiscardCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        DeadDiscardCommand command = new DeadDiscardCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        SelectionOptions.Parsed wanted = selection.parse().orRefuse();
        String name = actor.name();
        confirmation.requireThatItCanBeGiven(environment);
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            OutboxAdmin admin = outbox.admin();
            DeadLetterSelection chosen = wanted.at(admin.databaseTime());
            Intention intention = new Intention(environment, common, confirmation, chosen);
            if (intention.isOn(intention.preview(admin), "discarded", "Discard %s for ever?")) {
                report(chosen, admin.discard(chosen, name));
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void report(DeadLetterSelection chosen, Discarded discarded) {
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("selector", chosen.inWords());
            object.put("discarded", discarded.discarded());
            object.put("handled", discarded.handled());
            environment.printJson(object);
            return;
        }
        environment.out().println(Words.count(discarded.discarded(), "event") + " discarded.");
        if (discarded.handled() > 0) {
            environment
                    .out()
                    .println(Words.count(discarded.handled(), "letter")
                            + " removed: the events were not dead any more.");
        }
    }
}
