package dev.postrider.cli.admin;

import dev.postrider.Delivery;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import dev.postrider.admin.LayoutReport;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.destination.kafka.KafkaTarget;
import dev.postrider.cli.settings.Settings;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.settings.Formats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes how an outbox is read and delivered. */
@Command(
        name = "alter",
        description = {
            "Changes the mode of an outbox, its number of shards, or how often it delivers.",
            "All relays must be stopped; writers go on. Nothing is lost, doubled or put out of order. If it is"
                    + " interrupted, the same command finishes it, and no relay starts before that.",
            "An outbox that delivers exactly once is asked about at Kafka, which knows what was committed last."
        },
        footer = {
            "",
            "Examples:",
            "  postrider alter --mode log --shards 8",
            "  postrider alter --shards 16",
            "  postrider alter --delivery exactly-once",
            "  postrider alter --mode claim",
            "  postrider alter                          # finish what was interrupted"
        })
public final class AlterCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table", "kafka");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Option(
            names = "--mode",
            paramLabel = "<log|claim>",
            description = "How relays read it: as a log, or by claiming rows.")
    private @Nullable String mode;

    @Option(
            names = "--shards",
            paramLabel = "<number>",
            description = "Of a log: how many parts can be read at the same time, each in its order. Default for an"
                    + " outbox that becomes a log: 4.")
    private @Nullable String shards;

    @Option(
            names = "--delivery",
            paramLabel = "<at-least-once|exactly-once>",
            description = "Of a log: how often an event may arrive.")
    private @Nullable String delivery;

    @Option(
            names = "--accept-duplicates",
            description = "Do not ask Kafka what was committed last; deliver again what is in doubt. For the case that"
                    + " Kafka or its topic of positions is gone.")
    private boolean acceptDuplicates;

    private AlterCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        AlterCommand command = new AlterCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        LayoutRequest request = new LayoutRequest(
                mode == null ? null : Formats.oneOf(OutboxMode.class).parse(mode, "--mode"),
                shards == null
                        ? null
                        : Formats.wholeNumber(1, OutboxLayout.MAX_SHARDS).parse(shards, "--shards"),
                delivery == null ? null : Formats.oneOf(Delivery.class).parse(delivery, "--delivery"));
        String name = actor.name();
        Settings settings = options.read(environment.directory(), environment.variables());
        List<Publisher> opened = new ArrayList<>();
        try (OpenOutbox outbox = OpenOutbox.open(settings, environment)) {
            LayoutReport report = outbox.layout()
                    .progress(ChangeReport.progress(environment))
                    .destination(() -> destination(settings, opened))
                    .acceptDuplicates(acceptDuplicates)
                    .build()
                    .alter(request, name);
            new ChangeReport(environment, common).print(outbox.table(), report, altered(outbox, report));
        } finally {
            opened.forEach(Publisher::close);
        }
        return CommandLine.ExitCode.OK;
    }

    private TransactionalDestination destination(Settings settings, List<Publisher> opened) {
        Publisher publisher = new KafkaTarget(settings, environment.directory()).publisher();
        opened.add(publisher);
        if (publisher instanceof TransactionalDestination destination) {
            return destination;
        }
        throw new PostriderException("This version cannot deliver to Kafka exactly once.");
    }

    private static String altered(OpenOutbox outbox, LayoutReport report) {
        String now = LayoutChange.describe(report.to());
        return report.changed()
                ? "Outbox " + outbox.table() + " is now: " + now + " (before: " + LayoutChange.describe(report.from())
                        + "). " + Words.count(report.moved(), "event") + " moved."
                : "Outbox " + outbox.table() + " is as asked for: " + now + ". Nothing was changed.";
    }
}
