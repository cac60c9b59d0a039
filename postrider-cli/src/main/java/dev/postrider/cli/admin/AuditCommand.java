package dev.postrider.cli.admin;

import dev.postrider.admin.AuditEntry;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.TextTable;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Formats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What operators did. */
@Command(
        name = "audit",
        description = "Lists what operators did to the events of an outbox, the last thing first.",
        footer = {"", "Examples:", "  postrider audit", "  postrider audit --limit 1000 --json"})
public final class AuditCommand implements Callable<Integer> {
    private static final int SELECTOR_LENGTH = 120;

    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--limit",
            paramLabel = "<number>",
            defaultValue = "50",
            description = "How many entries to list. Default: 50.")
    private String limit = "";

    private AuditCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        AuditCommand command = new AuditCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        int number = Formats.wholeNumber(1, 100_000).parse(limit, "--limit");
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            List<AuditEntry> entries = outbox.admin().audit(number);
            if (common.json()) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("table", outbox.table().toString());
                object.put("entries", entries.stream().map(AuditCommand::json).toList());
                environment.printJson(object);
            } else {
                print(entries);
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private static Map<String, Object> json(AuditEntry entry) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("at", entry.at().toString());
        object.put("actor", entry.actor());
        object.put("action", entry.action());
        object.put("selector", entry.selector());
        object.put("affected", entry.affected());
        return object;
    }

    private void print(List<AuditEntry> entries) {
        if (entries.isEmpty()) {
            environment.out().println("No operator's action is recorded yet.");
            return;
        }
        TextTable table = new TextTable("AT", "ACTOR", "ACTION", ">EVENTS", "SELECTOR");
        for (AuditEntry entry : entries) {
            table.row(
                    Words.time(entry.at()),
                    Words.plain(entry.actor()),
                    Words.plain(entry.action()),
                    String.valueOf(entry.affected()),
                    Words.shortened(entry.selector(), SELECTOR_LENGTH));
        }
        environment.out().print(table);
    }
}
