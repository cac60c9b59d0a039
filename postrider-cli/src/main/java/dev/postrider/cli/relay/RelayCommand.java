package dev.postrider.cli.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Delivery;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Settings;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.publish.Publisher;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a relay until it is told to stop. */
@Command(
        name = "relay",
        footer = {
            "",
            "Examples:",
            "  POSTRIDER_DB_PASSWORD=secret postrider relay --db-url jdbc:postgresql://localhost:5432/app \\",
            "      --db-user app --kafka localhost:9092",
            "  postrider relay --config /etc/postrider.yml --name relay-1",
            "  POSTRIDER_WEBHOOK_URL=https://shop.example/hooks/events postrider relay --destination webhook \\",
            "      --db-url jdbc:postgresql://localhost:5432/app --db-user app",
            "",
            "A postrider.yml:",
            "  db: {url: 'jdbc:postgresql://localhost:5432/app', user: app, password-file: /run/secrets/app-db}",
            "  kafka:",
            "    bootstrap-servers: localhost:9092",
            "    routes: {product.viewed: product-view-events}",
            "    properties: {linger.ms: 5}",
            "  relay: {batch-size: 500, poll-interval: 1s, retry: {base: 2s, cap: 10m, max-retries: 5}}",
            "  retention: {published: 7d, at: '02:00', zone: Europe/Zurich}",
            "  alerts: {pending: 10000, slack-url: 'https://hooks.slack.example/services/…'}"
        })
public final class RelayCommand implements Callable<Integer> {
    /**
     * Claims and settles, renews the lease, listens for commits, keeps house; one to spare while one is
     * being replaced.
     */
    private static final int CONNECTIONS = 5;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final CommandEnvironment environment;
    private final SettingsOptions options =
            new SettingsOptions(Destinations.groupsAnd(any -> true, "db", "table", "relay", "retention", "alerts"));

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--until-input-ends",
            hidden = true,
            description = "Stop when standard input ends as well: with the process that started this one.")
    private boolean untilInputEnds;

    private RelayCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        RelayCommand command = new RelayCommand(environment);
        CommandLine line = command.options.addTo(new CommandLine(command));
        line.getCommandSpec()
                .usageMessage()
                .description(
                        "Delivers the events of an outbox " + Destinations.inWords() + ".",
                        "Runs until Ctrl-C or SIGTERM, then waits for what is in flight. Any number of relays may run at"
                                + " once.");
        return line;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(environment.directory(), environment.variables());
        RelayAssembly assembly = new RelayAssembly(settings, environment.directory());
        String name = assembly.settings().name();
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        EventTarget target = Destinations.target(settings, environment.directory());
        Database database = Database.of(settings, environment.directory());
        Publisher publisher = target.publisher();
        RelayLog log = new RelayLog(name, target.name());
        Optional<OutboxLayout> layout = layout(database, table, log);
        if (layout.isPresent()) {
            relay(assembly, database, publisher, table, target, log, connections(layout.get()));
        } else {
            publisher.close();
        }
        if (common.json()) {
            environment.printJson(log.counters());
        } else {
            log.summary();
        }
        return CommandLine.ExitCode.OK;
    }

    private void relay(
            RelayAssembly assembly,
            Database database,
            Publisher publisher,
            OutboxTable table,
            EventTarget target,
            RelayLog log,
            int connections)
            throws InterruptedException {
        try (HikariDataSource pool =
                        database.pool("postrider-" + assembly.settings().name(), CONNECTIONS, connections);
                Relay relay = assembly.build(pool, publisher, table, log)) {
            relay.start();
            if (untilInputEnds) {
                stopWhenInputEnds();
            }
            target.problem().ifPresent(log::unreachable);
            environment.stop().await();
        }
    }

    /**
     * Before the pool is there: it would only say that it has no connection. A database that cannot be reached is waited
     * for, since it may just be starting; empty if the command was stopped meanwhile.
     */
    private Optional<OutboxLayout> layout(Database database, OutboxTable table, RelayLog log)
            throws InterruptedException {
        boolean told = false;
        while (true) {
            try {
                return Optional.of(OutboxAdmin.builder(database.single())
                        .table(table)
                        .build()
                        .layout());
            } catch (PostriderException e) {
                if (!(e.getCause() instanceof SQLException cause) || !SqlErrors.isUnreachable(cause)) {
                    throw e;
                }
                if (!told) {
                    log.waits(e.getMessage());
                }
                told = true;
            }
            if (environment.stop().await(PAUSE)) {
                return Optional.empty();
            }
        }
    }

    /**
     * With exactly once every shard has a thread and a connection of its own, and one relay may have to read them all. In
     * claim mode deliveries are recorded while others are claimed.
     */
    private static int connections(OutboxLayout layout) {
        if (layout.delivery() == Delivery.EXACTLY_ONCE) {
            return CONNECTIONS + layout.shards();
        }
        return layout.mode() == OutboxMode.CLAIM ? CONNECTIONS + 1 : CONNECTIONS;
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
