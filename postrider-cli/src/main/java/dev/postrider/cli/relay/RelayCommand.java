package dev.postrider.cli.relay;

import dev.postrider.RelayListener;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Logging;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.OutboxSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a relay, or one for each of several outboxes, until it is told to stop. */
@Command(
        name = "relay",
        footer = {
            "",
            "Examples:",
            "  POSTRIDER_DB_PASSWORD=secret postrider relay --db-url jdbc:postgresql://localhost:5432/app \\",
            "      --db-user app --kafka localhost:9092",
            "  postrider relay --config /etc/postrider.yml --name relay-1 --http 9464",
            "  postrider relay --config /etc/postrider.yml --log-format json",
            "  POSTRIDER_WEBHOOK_URL=https://shop.example/hooks/events postrider relay --destination webhook \\",
            "      --db-url jdbc:postgresql://localhost:5432/app --db-user app"
        })
public final class RelayCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options = new SettingsOptions(
            Destinations.groupsAnd(any -> true, "db", "table", "relay", "retention", "alerts", "http"));

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--until-input-ends",
            hidden = true,
            description = "Stop when standard input ends as well: with the process that started this one.")
    private boolean untilInputEnds;

    @Option(
            names = "--log-format",
            paramLabel = "<text|json>",
            defaultValue = "text",
            description = "How lines of the log are written to standard error. Default: text.")
    private String logFormat = "";

    private RelayCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        RelayCommand command = new RelayCommand(environment);
        CommandLine line = command.options.addTo(new CommandLine(command));
        line.getCommandSpec()
                .usageMessage()
                .abbreviateSynopsis(true)
                .description(
                        "Delivers the events of an outbox, or of several, " + Destinations.inWords() + ".",
                        "Runs until Ctrl-C or SIGTERM, then waits for what is in flight. Any number of relays may run at"
                                + " once.");
        return line;
    }

    @Override
    public Integer call() throws InterruptedException {
        switch (logFormat) {
            case "json" -> Logging.asJson();
            case "text" -> {}
            default -> throw new UsageException("--log-format is [" + logFormat + "]; it must be text or json.");
        }
        OutboxSettings settings = options.readOutboxes(environment.directory(), environment.variables());
        if (untilInputEnds) {
            stopWhenInputEnds();
        }
        return settings.named().isEmpty() ? relayOne(settings.general()) : relayAll(settings);
    }

    private int relayOne(Settings settings) throws InterruptedException {
        OutboxRelay outbox = new OutboxRelay(settings, environment);
        try (RelayHttp http = RelayHttp.start(settings)) {
            String name = outbox.table().toString();
            http.add(name, outbox::state);
            outbox.run(http.metrics(name));
        }
        if (common.json()) {
            environment.printJson(outbox.log().counters());
        } else {
            outbox.log().summary();
        }
        return CommandLine.ExitCode.OK;
    }

    private int relayAll(OutboxSettings settings) throws InterruptedException {
        Map<String, OutboxRelay> outboxes = new LinkedHashMap<>();
        // All of them, before one is started: a mistake is told at once.
        settings.named().forEach((name, own) -> outboxes.put(name, outbox(name, own)));
        try (RelayHttp http = RelayHttp.start(settings.general())) {
            List<Thread> threads = new ArrayList<>();
            outboxes.forEach((name, outbox) -> {
                http.add(name, outbox::state);
                threads.add(start(name, outbox, http.metrics(name)));
            });
            for (Thread thread : threads) {
                thread.join();
            }
        }
        if (common.json()) {
            Map<String, Object> counters = new LinkedHashMap<>();
            outboxes.forEach((name, outbox) -> counters.put(name, outbox.log().counters()));
            environment.printJson(Map.of("outboxes", counters));
        } else {
            outboxes.values().forEach(outbox -> outbox.log().summary());
        }
        return CommandLine.ExitCode.OK;
    }

    private OutboxRelay outbox(String name, Settings settings) {
        try {
            return new OutboxRelay(settings, environment);
        } catch (UsageException e) {
            throw new UsageException("Outbox " + name + ": " + e.getMessage());
        }
    }

    private static Thread start(String name, OutboxRelay outbox, RelayListener metrics) {
        Thread thread = new Thread(
                () -> {
                    try {
                        outbox.keepRunning(metrics);
                    } catch (InterruptedException e) {
                        // Nobody interrupts this thread.
                        Thread.currentThread().interrupt();
                    }
                },
                "postrider-outbox-" + name);
        thread.start();
        return thread;
    }

    private void stopWhenInputEnds() {
        Thread watching = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // As good as an end.
                    }
                    environment.stop().request();
                },
                "postrider-input");
        watching.setDaemon(true);
        watching.start();
    }
}
