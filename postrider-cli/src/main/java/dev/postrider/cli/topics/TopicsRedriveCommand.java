package dev.postrider.cli.topics;

import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Confirmation;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.kafka.redrive.Redrive;
import dev.postrider.kafka.redrive.RedrivePlan;
import dev.postrider.kafka.redrive.RedriveProgress;
import dev.postrider.kafka.redrive.RedriveReport;
import dev.postrider.kafka.redrive.RedriveRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends records of a dead letter topic back to their topics. */
@Command(
        name = "redrive",
        description = {
            "Sends records of a dead letter topic back to the topics they came from; those of a key in the order in which"
                    + " they died. The dead letter topic does not change.",
            "A record is sent as it was before it died, with the headers postrider-redrive (time of the run),"
                    + " postrider-redrive-count (how often it was sent back) and postrider-redrive-from (its place in the"
                    + " dead letter topic). Every group that reads the topic gets it.",
            "The brokers remember what was sent: after an interruption, run the same command again. Records that die"
                    + " meanwhile are for the next run.",
            "At the first record that is not accepted the run ends, so that nothing overtakes it."
        },
        footer = {
            "",
            "Examples:",
            "  postrider topics redrive order-events.dlq --dry-run",
            "  postrider topics redrive order-events.dlq --reason IllegalStateException --since 2h",
            "  postrider topics redrive order-events.dlq --group fraud-detection --limit 10 --yes",
            "",
            "The exit status is 0 if everything was sent, 1 if something around it failed, 2 if the request makes no",
            "sense, 130 if it was interrupted."
        })
final class TopicsRedriveCommand implements Callable<Integer> {
    /** What a shell reports of a process that ended by Ctrl-C. */
    private static final int INTERRUPTED = 130;

    private static final long BETWEEN_LINES = Duration.ofSeconds(5).toNanos();

    private final CommandEnvironment environment;
    private final SettingsOptions options =
            new SettingsOptions("kafka.bootstrap-servers", "kafka.properties", "topics.dead-letter-suffix");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private RedriveOptions wanted = new RedriveOptions();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    private TopicsRedriveCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        TopicsRedriveCommand command = new TopicsRedriveCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(environment.directory(), environment.variables());
        RedriveRequest request = wanted.request(settings.get(KafkaSettings.TOPICS_DEAD_LETTER_SUFFIX), Instant.now());
        confirmation.requireThatItCanBeGiven(environment);
        KafkaAccess kafka = new KafkaAccess(settings, environment.directory());
        Optional<String> problem = kafka.problem();
        if (problem.isPresent()) {
            throw new PostriderException("Kafka cannot be reached; nothing was sent: " + problem.get());
        }
        try (Redrive redrive = Redrive.connect(kafka.clientSettings())) {
            RedrivePlan plan = redrive.plan(request, environment.stop()::isRequested, progress(false));
            RedriveOutput output = new RedriveOutput(environment, common, plan);
            if (environment.stop().isRequested()) {
                environment.err().println("postrider: Stopped before the end; nothing was sent.");
                return INTERRUPTED;
            }
            if (confirmation.dryRun()) {
                output.plan(Words.count(plan.toSend(), "record") + " would be sent; nothing was.");
                plan.problems().values().forEach(text -> environment.err().println("postrider: " + text));
                return plan.problems().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
            }
            if (plan.toSend() == 0) {
                output.plan("There is nothing to send; nothing was.");
                return CommandLine.ExitCode.OK;
            }
            if (plan.problems().isEmpty() && !confirmation.isGiven(environment, output.question())) {
                output.plan("Nothing was sent.");
                return CommandLine.ExitCode.OK;
            }
            RedriveReport report = redrive.run(plan, environment.stop()::isRequested, progress(true));
            output.report(report);
            return end(report);
        }
    }

    private int end(RedriveReport report) {
        if (report.complete()) {
            return CommandLine.ExitCode.OK;
        }
        String goOn = " Run the same command again" + (wanted.again() ? " without --again" : "") + " to go on.";
        String failure = report.failure();
        environment
                .err()
                .println("postrider: " + (failure == null ? "Stopped before the end." : "Stopped: " + failure + ".")
                        + goOn);
        return failure == null ? INTERRUPTED : CommandLine.ExitCode.SOFTWARE;
    }

    /** A line now and then, where errors go. */
    private Consumer<RedriveProgress> progress(boolean sending) {
        long[] next = {System.nanoTime() + BETWEEN_LINES};
        return now -> {
            if (System.nanoTime() - next[0] > 0) {
                next[0] = System.nanoTime() + BETWEEN_LINES;
                String read = String.format(Locale.ROOT, "%,d of %,d records", now.read(), now.of());
                environment
                        .err()
                        .println("postrider: " + read + " read"
                                + (sending ? ", " + Words.count(now.sent(), "record") + " sent." : " to count them."));
            }
        };
    }
}
