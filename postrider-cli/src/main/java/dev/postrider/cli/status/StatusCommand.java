package dev.postrider.cli.status;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says how an outbox stands. */
@Command(
        name = "status",
        description = {
            "Shows how an outbox stands.",
            "Its layout, whether it is paused, events by state, the oldest that waits, destinations that take nothing, how far each shard of a log is behind and who reads it, relays"
                    + " and what they hold, open write transactions."
        },
        footer = {
            "",
            "Examples:",
            "  postrider status --db-url jdbc:postgresql://localhost:5432/app --db-user app",
            "  postrider status --watch",
            "  postrider status --json"
        })
public final class StatusCommand implements Callable<Integer> {
    private static final Format<Duration> INTERVAL = Formats.durationOfAtLeast(Duration.ofMillis(100));

    private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions("db", "table");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2s",
            paramLabel = "<duration>",
            description = "Show it again and again, until Ctrl-C; without a duration every 2s.")
    private @Nullable String watch;

    private StatusCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        StatusCommand command = new StatusCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(environment.directory(), environment.variables());
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        Database database = Database.of(settings, environment.directory());
        OutboxAdmin admin = OutboxAdmin.builder(database.single()).table(table).build();
        Duration interval = watch == null ? null : INTERVAL.parse(watch, "--watch");
        print(table, admin.status());
        while (interval != null && !environment.stop().await(interval)) {
            watchOnce(table, admin, interval);
        }
        return CommandLine.ExitCode.OK;
    }

    /** Whoever watches wants to see it come back: a database that is away ends nothing. */
    private void watchOnce(OutboxTable table, OutboxAdmin admin, Duration interval) {
        try {
            OutboxStatus status = admin.status();
            if (!common.json()) {
                environment.out().print(environment.terminal().showsOutput() ? CLEAR_SCREEN : System.lineSeparator());
                environment
                        .out()
                        .printf("%s, every %s until Ctrl-C%n%n", Words.time(Instant.now()), INTERVAL.print(interval));
            }
            print(table, status);
        } catch (PostriderException e) {
            environment.err().println("postrider: " + Masking.mask(String.valueOf(e.getMessage())));
        }
    }

    private void print(OutboxTable table, OutboxStatus status) {
        if (common.json()) {
            environment.printJson(StatusReport.json(table, status));
        } else {
            environment.out().print(StatusReport.text(table, status, environment.colours()));
            environment.out().flush();
        }
    }
}
