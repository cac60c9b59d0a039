package dev.postrider.cli.admin;

import dev.postrider.admin.DeadLetterPage;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Formats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which events were given up, and why. */
@Command(
        name = "list",
        description = "Lists dead letters, those that died last first. Without a condition: of all.",
        footer = {
            "",
            "Examples:",
            "  postrider dead list",
            "  postrider dead list --type acme.order.paid.v1 --since 2026-03-01T00:00:00Z --json"
        })
final class DeadListCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private SelectionOptions selection = new SelectionOptions();

    @Option(
            names = "--limit",
            paramLabel = "<number>",
            defaultValue = "50",
            description = "How many to list. Default: 50.")
    private String limit = "";

    private DeadListCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        DeadListCommand command = new DeadListCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        SelectionOptions.Parsed wanted = selection.parse();
        int number = Formats.wholeNumber(1, 100_000).parse(limit, "--limit");
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            DeadLetterPage page = outbox.admin().list(wanted.at(outbox.admin().databaseTime()), number);
            if (common.json()) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("table", outbox.table().toString());
                object.put("total", page.total());
                object.put(
                        "deadLetters",
                        page.letters().stream().map(DeadLetterReport::json).toList());
                environment.printJson(object);
            } else {
                print(page, wanted.something());
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void print(DeadLetterPage page, boolean selected) {
        if (page.total() == 0) {
            environment.out().println(selected ? "No dead letter is like that." : "No dead letters.");
            return;
        }
        environment.out().print(DeadLetterReport.table(page, environment.colours()));
        if (page.letters().size() < page.total()) {
            environment
                    .out()
                    .printf(
                            "%nThese are %d of %s; --limit shows more.%n",
                            page.letters().size(), Words.count(page.total(), "dead letter"));
        }
    }
}
