package dev.postrider.cli.admin;

import dev.postrider.admin.RestoreReport;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Brings back dead letters from the file they were saved to. */
@Command(
        name = "restore",
        description = {
            "Sends the events of a dead letter file again.",
            "Relays write that file when the database cannot take a dead letter. Events that were handled already are"
                    + " skipped, so a second run changes nothing. The exit status is 1 if a line brought nothing back"
                    + " and should be looked at."
        },
        footer = {
            "",
            "Examples:",
            "  postrider restore postrider-dead-letters.jsonl --dry-run",
            "  postrider restore postrider-dead-letters.jsonl"
        })
public final class RestoreCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Parameters(paramLabel = "<file>", description = "The file; one event per line.")
    private Path file = Path.of("");

    @Option(names = "--dry-run", description = "Say what would be done, and do nothing.")
    private boolean dryRun;

    private RestoreCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        RestoreCommand command = new RestoreCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Path path = environment.directory().resolve(file);
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            throw new UsageException("The file " + file + " cannot be read: "
                    + (Files.exists(path) ? "it is a directory, or not yours to read." : "there is no such file."));
        }
        String name = actor.name();
        Settings settings = options.read(environment.directory(), environment.variables());
        RestoreReport report;
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            report = dryRun
                    ? outbox.admin().previewRestore(path)
                    : outbox.admin().restore(path, name);
        }
        if (common.json()) {
            environment.printJson(json(report));
        } else {
            print(report);
        }
        return report.problems().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Map<String, Object> json(RestoreReport report) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("file", file.toString());
        object.put("dryRun", dryRun);
        object.put("restored", report.restored());
        object.put("inserted", report.inserted());
        object.put("handled", report.handled());
        object.put(
                "problems",
                report.problems().stream()
                        .map(problem -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("line", problem.line());
                            one.put("what", problem.what());
                            return one;
                        })
                        .toList());
        return object;
    }

    private void print(RestoreReport report) {
        String would = dryRun ? " would" : " will";
        environment.out().println(Words.count(report.restored(), "event") + would + " be sent again.");
        if (report.inserted() > 0) {
            environment
                    .out()
                    .println(Words.count(report.inserted(), "row") + " of them had gone"
                            + (dryRun ? "." : " and were written again."));
        }
        if (report.handled() > 0) {
            environment.out().println(Words.count(report.handled(), "event") + " skipped (handled already).");
        }
        for (RestoreReport.Problem problem : report.problems()) {
            environment
                    .err()
                    .println("postrider: Line " + problem.line() + " brings nothing back: " + problem.what() + ".");
        }
    }
}
