package dev.postrider.cli.devservices;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.ServerJars;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Formats;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Real servers to play with. */
@Command(
        name = "devservices",
        description = {
            "Runs a real PostgreSQL (or MariaDB) and a real Kafka, without Docker.",
            "They stay until Ctrl-C or SIGTERM and listen on this machine only. Not for production."
        },
        footer = {
            "",
            "Examples:",
            "  postrider devservices",
            "  postrider devservices --mariadb",
            "  postrider devservices --postgres-port 5432 --kafka-port 9092",
            "  postrider devservices --brokers 3 --data ./servers"
        })
public final class DevServicesCommand implements Callable<Integer> {
    /** The usual ports and 10000 more: easy to remember, seldom taken, and never by outgoing connections. */
    static final int POSTGRES_PORT = 15_432;

    static final int MARIADB_PORT = 13_306;
    static final int KAFKA_PORT = 19_092;

    private static final String OTHERWISE = ", or a free one if that is taken.";

    private final CommandEnvironment environment;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--mariadb", description = "MariaDB in place of PostgreSQL. On Linux with x86-64.")
    private boolean mariaDb;

    @Option(
            names = "--brokers",
            paramLabel = "<1|3>",
            defaultValue = "1",
            description = "Kafka brokers: 1, or 3 with replication. Default: 1.")
    private String brokers = "1";

    @Option(
            names = "--postgres-port",
            paramLabel = "<port>",
            description = "PostgreSQL's port. Default: " + POSTGRES_PORT + OTHERWISE)
    private @Nullable String postgresPort;

    @Option(
            names = "--mariadb-port",
            paramLabel = "<port>",
            description = "MariaDB's port. Default: " + MARIADB_PORT + OTHERWISE)
    private @Nullable String mariaDbPort;

    @Option(
            names = "--kafka-port",
            paramLabel = "<port>",
            description =
                    "The first broker's port; the others have the numbers above. Default: " + KAFKA_PORT + OTHERWISE)
    private @Nullable String kafkaPort;

    @Option(
            names = "--data",
            paramLabel = "<directory>",
            description = "Keep the servers' data here, to be found again. Default: it is deleted in the end.")
    private @Nullable Path data;

    private DevServicesCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new DevServicesCommand(environment));
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!brokers.equals("1") && !brokers.equals("3")) {
            throw new UsageException("--brokers is [" + brokers + "]; it must be 1 or 3.");
        }
        if (mariaDb && postgresPort != null) {
            throw new UsageException("--postgres-port is for PostgreSQL, and --mariadb asks for MariaDB.");
        }
        if (!mariaDb && mariaDbPort != null) {
            throw new UsageException("--mariadb-port is for MariaDB, which --mariadb asks for.");
        }
        int count = Integer.parseInt(brokers);
        WantedServers wanted = new WantedServers(
                mariaDb,
                mariaDb
                        ? port(mariaDbPort, "--mariadb-port", MARIADB_PORT, 1)
                        : port(postgresPort, "--postgres-port", POSTGRES_PORT, 1),
                count,
                port(kafkaPort, "--kafka-port", KAFKA_PORT, count),
                data == null ? null : environment.directory().resolve(data));
        ServerJars.require("devservices");
        DevServers.run(wanted, environment, common.json());
        return CommandLine.ExitCode.OK;
    }

    private static WantedServers.Port port(@Nullable String text, String option, int standard, int count) {
        return text == null
                ? new WantedServers.Port(standard, false)
                : new WantedServers.Port(Formats.wholeNumber(1, 65_536 - count).parse(text, option), true);
    }
}
