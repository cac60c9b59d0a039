package dev.postrider.cli.admin;

import dev.postrider.OutboxMode;
import dev.postrider.admin.AdoptAfter;
import dev.postrider.admin.LayoutReport;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Formats;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes an outbox at home in another database cluster. */
@Command(
        name = "adopt",
        description = {
            "Tells a log-mode outbox that its database cluster is another one now. Relays refuse to read it until then.",
            "All relays must be stopped; writers go on. After a restore, transactions are numbered from the start: what was surely"
                    + " delivered is not delivered again, what is in doubt is. After pg_upgrade everything goes on where"
                    + " it was. If it is interrupted, the same command finishes it."
        },
        footer = {
            "",
            "Examples:",
            "  postrider adopt --after restore          # pg_dump and pg_restore, or another way to copy the tables",
            "  postrider adopt --after upgrade          # pg_upgrade"
        })
public final class AdoptCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Option(
            names = "--after",
            required = true,
            paramLabel = "<restore|upgrade>",
            description = "What happened to the cluster.")
    private String after = "";

    private AdoptCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        AdoptCommand command = new AdoptCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        AdoptAfter what = Formats.oneOf(AdoptAfter.class).parse(after, "--after");
        String name = actor.name();
        Settings settings = options.read(environment.directory(), environment.variables());
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            LayoutReport report = outbox.layout()
                    .progress(ChangeReport.progress(environment))
                    .build()
                    .adopt(what, name);
            new ChangeReport(environment, common).print(outbox.table(), report, adopted(outbox, report));
        }
        return CommandLine.ExitCode.OK;
    }

    private static String adopted(OpenOutbox outbox, LayoutReport report) {
        if (report.changed()) {
            return "Outbox " + outbox.table() + " is at home in this cluster. "
                    + (report.newId()
                            ? "It delivers exactly once from here on; what was in doubt comes again this once. "
                            : "")
                    + Words.count(report.moved(), "event") + " will be sent, or sent again.";
        }
        return "Outbox " + outbox.table() + " is at home already. "
                + (report.to().mode() == OutboxMode.CLAIM ? "Claim mode depends on no cluster. " : "")
                + "Nothing was changed.";
    }
}
