package dev.postrider.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.SettingsOptions;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.store.jdbc.JdbcStores;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a relay until it is told to stop. */
@Command(
        name = "relay",
        description = {
            "Delivers the events of an outbox to Kafka.",
            "Runs until Ctrl-C or SIGTERM, then waits for what is in flight. Any number of relays may run at once."
        },
        footer = {
            "",
            "Examples:",
            "  POSTRIDER_DB_PASSWORD=secret postrider relay --db-url jdbc:postgresql://localhost:5432/app \\",
            "      --db-user app --kafka localhost:9092",
            "  postrider relay --config /etc/postrider.yml --name relay-1",
            "",
            "A postrider.yml:",
            "  db: {url: 'jdbc:postgresql://localhost:5432/app', user: app, password-file: /run/secrets/app-db}",
            "  kafka:",
            "    bootstrap-servers: localhost:9092",
            "    routes: {product.viewed: product-view-events}",
            "    properties: {linger.ms: 5}",
            "  relay: {batch-size: 500, poll-interval: 1s, retry: {base: 2s, cap: 10m, max-retries: 5}}"
        })
final class RelayCommand implements Callable<Integer> {
    /** Claims and settles, renews the lease, listens for commits; one to spare while one is being replaced. */
    private static final int CONNECTIONS = 4;

    private final Surroundings surroundings;
    private final SettingsOptions options = new SettingsOptions("db", "table", "kafka", "relay");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--until-input-ends",
            hidden = true,
            description = "Stop when standard input ends as well: with the process that started this one.")
    private boolean untilInputEnds;

    private RelayCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    static CommandLine create(Surroundings surroundings) {
        RelayCommand command = new RelayCommand(surroundings);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.read(surroundings.directory(), surroundings.environment());
        RelaySettings relaySettings = relaySettings(settings, surroundings.directory());
        OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
        KafkaTarget kafka = new KafkaTarget(settings);
        Database database = Database.of(settings, surroundings.directory());
        KafkaPublisher publisher = kafka.publisher();
        check(database, table);
        RelayLog log = new RelayLog(relaySettings.name());
        try (HikariDataSource pool = database.pool("postrider-" + relaySettings.name(), CONNECTIONS);
                Relay relay = Relay.builder(pool, publisher)
                        .table(table)
                        .settings(relaySettings)
                        .listener(log)
                        .build()) {
            relay.start();
            if (untilInputEnds) {
                stopWhenInputEnds();
            }
            kafka.problem().ifPresent(log::unreachable);
            surroundings.stop().await();
        }
        if (common.json()) {
            surroundings.printJson(log.counters());
        } else {
            log.summary();
        }
        return CommandLine.ExitCode.OK;
    }

    private static RelaySettings relaySettings(Settings settings, Path directory) {
        try {
            RelaySettings.Builder builder = RelaySettings.builder()
                    .batchSize(settings.get(KnownSettings.RELAY_BATCH_SIZE).intValue())
                    .pollInterval(settings.get(KnownSettings.RELAY_POLL_INTERVAL))
                    .polling(settings.get(KnownSettings.RELAY_POLLING))
                    .ordering(settings.get(KnownSettings.RELAY_ORDERING))
                    .onPublished(settings.get(KnownSettings.RELAY_ON_PUBLISHED))
                    .split(settings.get(KnownSettings.RELAY_SPLIT))
                    .maxBatchBytes(settings.get(KnownSettings.RELAY_MAX_BATCH_BYTES))
                    .leaseLength(settings.get(KnownSettings.RELAY_LEASE_LENGTH))
                    .drainTimeout(settings.get(KnownSettings.RELAY_DRAIN_TIMEOUT))
                    .retry(new Backoff(
                            settings.get(KnownSettings.RETRY_BASE),
                            settings.get(KnownSettings.RETRY_MULTIPLIER),
                            settings.get(KnownSettings.RETRY_CAP),
                            settings.get(KnownSettings.RETRY_JITTER),
                            settings.get(KnownSettings.RETRY_MAX).intValue()))
                    .countOutages(settings.get(KnownSettings.RETRY_COUNT_OUTAGES))
                    .circuit(new CircuitSettings(
                            settings.get(KnownSettings.CIRCUIT_WINDOW).intValue(),
                            settings.get(KnownSettings.CIRCUIT_MINIMUM_CALLS).intValue(),
                            settings.get(KnownSettings.CIRCUIT_FAILURE_RATE),
                            settings.get(KnownSettings.CIRCUIT_OPEN_FOR),
                            settings.get(KnownSettings.CIRCUIT_TRIAL_CALLS).intValue()))
                    .deadLetters(new DeadLetterSettings(
                            settings.get(KnownSettings.DEAD_LETTER_THEN),
                            directory.resolve(settings.get(KnownSettings.DEAD_LETTER_FILE))));
            settings.find(KnownSettings.RELAY_NAME).ifPresent(builder::name);
            return builder.build();
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Before the pool is there: it would only say that it has no connection. */
    private static void check(Database database, OutboxTable table) {
        try (Connection connection = database.connect()) {
            JdbcStores.forConnection(connection, table).setting(connection, "mode");
        } catch (SQLException e) {
            throw JdbcStores.explain(e, table);
        }
    }

    private void stopWhenInputEnds() {
        Thread watching = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // As good as an end.
                    }
                    surroundings.stop().request();
                },
                "postrider-input");
        watching.setDaemon(true);
        watching.start();
    }
}
