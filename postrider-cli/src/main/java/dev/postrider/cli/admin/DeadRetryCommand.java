package dev.postrider.cli.admin;

import dev.postrider.OutboxAdmin;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Retried;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Confirmation;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.internal.store.Settlement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends dead letters again. */
@Command(
        name = "retry",
        description = {
            "Sends dead letters again: relays take them like new events, with all their retries.",
            "Those of a key go out in their old order, before the key's events that still wait."
        },
        footer = {
            "",
            "Examples:",
            "  postrider dead retry --id 4711",
            "  postrider dead retry --aggregate order/42 --dry-run",
            "  postrider dead retry --all --yes --as nightly-job"
        })
final class DeadRetryCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table", "relay.integrity-key-file");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private SelectionOptions selection = new SelectionOptions();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Option(
            names = "--accept-changes",
            description = "Also send events whose row was changed after it was written (error class integrity), as they"
                    + " are now. Without it they die again.")
    private boolean acceptChanges;

    private DeadRetryCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        DeadRetryCommand command = new DeadRetryCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        SelectionOptions.Parsed wanted = selection.parse().orRefuse();
        String name = actor.name();
        confirmation.requireThatItCanBeGiven(environment);
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.openWithKey(settings, environment)) {
            OutboxAdmin admin = outbox.admin();
            DeadLetterSelection chosen = wanted.at(admin.databaseTime());
            Intention intention = new Intention(environment, common, confirmation, chosen);
            DeadLetterPage page = intention.preview(admin);
            warnOfChanges(page);
            if (intention.isOn(page, "sent again", "Send %s again?")) {
                report(chosen, acceptChanges ? admin.retryAcceptingChanges(chosen, name) : admin.retry(chosen, name));
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void warnOfChanges(DeadLetterPage page) {
        boolean changed =
                page.letters().stream().anyMatch(letter -> letter.errorClass().equals(Settlement.Dead.INTEGRITY));
        if (changed && !acceptChanges) {
            environment
                    .err()
                    .println("Some were changed after they were written, and will die again;"
                            + " --accept-changes sends them as they are now.");
        }
    }

    private void report(DeadLetterSelection chosen, Retried retried) {
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("selector", chosen.inWords());
            object.put("sentAgain", retried.sentAgain());
            object.put("inserted", retried.inserted());
            object.put("handled", retried.handled());
            object.put("kept", retried.kept());
            environment.printJson(object);
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add(Words.count(retried.sentAgain(), "event") + " will be sent again.");
        if (retried.inserted() > 0) {
            lines.add(Words.count(retried.inserted(), "row") + " of them had gone and were written again.");
        }
        if (retried.handled() > 0) {
            lines.add(Words.count(retried.handled(), "letter") + " removed: the events were not dead any more.");
        }
        if (retried.kept() > 0) {
            lines.add(Words.count(retried.kept(), "letter")
                    + " kept: meanwhile other events were written with their request ids.");
        }
        lines.forEach(environment.out()::println);
    }
}
