package dev.postrider.cli.admin;

import dev.postrider.OutboxAdmin;
import dev.postrider.PostriderException;
import dev.postrider.admin.ReplayExtent;
import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Confirmation;
import dev.postrider.cli.command.Moment;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.CliFormats;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.Publisher;
import dev.postrider.settings.Formats;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends events once more that were published already. */
@Command(
        name = "replay",
        description = {
            "Sends published events once more, in the order of their ids, with the header postrider-replay.",
            "The rows stay as they are. Either the history of one aggregate, or what was written to the outbox (not:"
                    + " published) between two times, as far as the rows are still there."
        },
        footer = {
            "",
            "Examples:",
            "  postrider replay --aggregate order/42",
            "  postrider replay --from 2026-03-01T12:00:00Z --to 2026-03-01T13:00:00Z --topic order-events-again",
            "  postrider replay --from 2h --to 1h --dry-run"
        })
public final class ReplayCommand implements Callable<Integer> {
    /** What a shell reports of a process that ended by Ctrl-C. */
    private static final int INTERRUPTED = 130;

    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions(
            Destinations.groupsAnd(any -> true, "db", "table", "relay.destination", "relay.integrity-key-file"));

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Mixin
    private ActorOption actor = new ActorOption();

    @Option(names = "--aggregate", paramLabel = AggregateName.LABEL, description = "Type and id of the aggregate.")
    private @Nullable String aggregate;

    @Option(
            names = "--from",
            paramLabel = Moment.LABEL,
            description = "Written at this time or later: 2026-03-01T12:00:00Z, or 2h for two hours ago.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = Moment.LABEL, description = "Written before this time.")
    private @Nullable String to;

    @Option(
            names = "--topic",
            paramLabel = "<topic>",
            description = "Send everything to this topic of Kafka's. Default: each to its own destination.")
    private @Nullable String topic;

    @Option(
            names = "--after-id",
            paramLabel = "<id>",
            defaultValue = "0",
            description = "Only rows after this one: to go on where a replay stopped.")
    private String afterId = "";

    private ReplayCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        ReplayCommand command = new ReplayCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Function<Instant, ReplayScope> scope = scope();
        String destination = topic == null ? null : CliFormats.TOPIC.parse(topic, "--topic");
        long after = Formats.wholeNumberOfAtLeast(0).parse(afterId, "--after-id");
        String name = actor.name();
        confirmation.requireThatItCanBeGiven(environment);
        Settings settings = options.read(environment.directory(), environment.variables());
        Optional<EventTarget> target = confirmation.dryRun() ? Optional.empty() : Optional.of(checked(settings));
        try (OpenOutbox outbox = OpenOutbox.openWithKey(settings, environment)) {
            OutboxAdmin admin = outbox.admin();
            ReplayRequest request = new ReplayRequest(scope.apply(admin.databaseTime()), destination, after);
            ReplayExtent extent = admin.extent(request);
            if (target.isEmpty()) {
                tell(request, extent, Words.count(extent.events(), "event") + " would be sent; nothing was.");
            } else if (extent.events() == 0) {
                tell(request, extent, "There is no such event; nothing was sent.");
            } else if (confirmation.isGiven(environment, question(extent, target.get()))) {
                return replay(admin, request, target.get(), name);
            } else {
                tell(request, extent, "Nothing was sent.");
            }
        }
        return CommandLine.ExitCode.OK;
    }

    /** Whatever cannot be used is said before anything is asked. */
    private EventTarget checked(Settings settings) {
        if (topic != null && !settings.get(KnownSettings.RELAY_DESTINATION).hasTopics()) {
            throw new UsageException("--topic is for Kafka, and relay.destination is another.");
        }
        EventTarget target = Destinations.target(settings, environment.directory());
        target.publisher().close();
        return target;
    }

    private Function<Instant, ReplayScope> scope() {
        Moment begin = Moment.read(from, "--from");
        Moment end = Moment.read(to, "--to");
        if (aggregate != null && begin == null && end == null) {
            AggregateName name = AggregateName.read(aggregate, "--aggregate");
            return now -> new ReplayScope.OfAggregate(name.type(), name.id());
        }
        if (aggregate == null && begin != null && end != null) {
            return now -> between(begin.at(now), end.at(now));
        }
        throw new UsageException("Which events? Say it either by --aggregate, or by --from and --to.");
    }

    private static ReplayScope between(Instant begin, Instant end) {
        try {
            return new ReplayScope.WrittenBetween(begin, end);
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private String question(ReplayExtent extent, EventTarget target) {
        return "Send " + Words.count(extent.events(), "published event") + " once more, to "
                + (topic == null ? target.places() : topic) + "?";
    }

    private int replay(OutboxAdmin admin, ReplayRequest request, EventTarget target, String name)
            throws InterruptedException {
        Optional<String> problem = target.problem();
        if (problem.isPresent()) {
            throw new PostriderException(target.name() + " cannot be reached; nothing was sent: " + problem.get());
        }
        ReplayReport report;
        try (Publisher publisher = target.publisher()) {
            report = admin.replay(request, publisher, environment.stop()::isRequested, name);
        }
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("selector", request.inWords());
            object.put("sent", report.sent());
            object.put("lastId", report.lastId());
            object.put("complete", report.complete());
            environment.printJson(object);
        } else {
            environment.out().println(Words.count(report.sent(), "event") + " sent once more.");
        }
        if (report.complete()) {
            return CommandLine.ExitCode.OK;
        }
        environment
                .err()
                .println("postrider: Stopped before the end. Continue with --after-id " + report.lastId() + ".");
        return INTERRUPTED;
    }

    private void tell(ReplayRequest request, ReplayExtent extent, String sentence) {
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("selector", request.inWords());
            object.put("matched", extent.events());
            object.put("sent", 0);
            environment.printJson(object);
        } else {
            environment.out().println(sentence);
        }
    }
}
