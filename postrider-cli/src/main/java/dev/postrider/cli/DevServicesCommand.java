package dev.postrider.cli;

import dev.postrider.cli.settings.UsageException;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServices;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
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
            "  postrider devservices --brokers 3 --data ./servers"
        })
final class DevServicesCommand implements Callable<Integer> {
    private final Surroundings surroundings;

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
            names = "--data",
            paramLabel = "<directory>",
            description = "Keep the servers' data here, to be found again. Default: it is deleted in the end.")
    private @Nullable Path data;

    private DevServicesCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    static CommandLine create(Surroundings surroundings) {
        return new CommandLine(new DevServicesCommand(surroundings));
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!brokers.equals("1") && !brokers.equals("3")) {
            throw new UsageException("--brokers is [" + brokers + "]; it must be 1 or 3.");
        }
        DevPostgres.Builder postgres = DevPostgres.builder();
        DevMariaDb.Builder maria = DevMariaDb.builder();
        DevKafka.Builder kafka = DevKafka.builder().brokers(Integer.parseInt(brokers));
        if (data != null) {
            Path directory = surroundings.directory().resolve(data);
            postgres.dataDirectory(directory.resolve("postgres"));
            maria.dataDirectory(directory.resolve("mariadb"));
            kafka.dataDirectory(directory.resolve("kafka"));
        }
        if (mariaDb) {
            try (DevMariaDb database = maria.start();
                    DevKafka brokers = kafka.start()) {
                announce(
                        "MariaDB",
                        database.jdbcUrl(),
                        database.user(),
                        database.password(),
                        brokers.bootstrapServers(),
                        mariaDbClient(database));
                surroundings.stop().await();
            }
        } else {
            try (DevServices services = DevServices.start(postgres, kafka)) {
                DevPostgres database = services.postgres();
                announce(
                        "PostgreSQL",
                        database.jdbcUrl(),
                        database.user(),
                        database.password(),
                        services.kafka().bootstrapServers(),
                        postgresClient(database));
                surroundings.stop().await();
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private void announce(String name, String url, String user, String password, String servers, String client) {
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("jdbcUrl", url);
            object.put("user", user);
            object.put("password", password);
            object.put("bootstrapServers", servers);
            surroundings.printJson(object);
            return;
        }
        surroundings.out().print(instructions(name, url, user, password, servers, client));
        surroundings.out().flush();
    }

    private static String instructions(
            String name, String url, String user, String password, String servers, String client) {
        return """

                %6$-12s %1$s
                  user       %2$s
                  password   %3$s
                Kafka        %4$s

                In another terminal:

                  export POSTRIDER_DB_URL=%1$s POSTRIDER_DB_USER=%2$s POSTRIDER_DB_PASSWORD=%3$s
                  export POSTRIDER_KAFKA=%4$s

                  ./postrider migrate
                  ./postrider relay

                Write an event in any language, for example:

                  %5$s "insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                    values ('acme.order.paid.v1', 'order', '1', '{\\"total\\": 42}')"

                See where it is:

                  ./postrider status

                Ctrl-C ends both servers.
                """.formatted(url, user, password, servers, client, name);
    }

    private static String postgresClient(DevPostgres database) {
        String url = database.jdbcUrl()
                .replace("jdbc:postgresql://", "postgresql://" + database.user() + ":" + database.password() + "@");
        return "psql '" + url + "' -c";
    }

    private static String mariaDbClient(DevMariaDb database) {
        return "mariadb -h 127.0.0.1 -P " + database.port() + " -u " + database.user() + " -p" + database.password()
                + " " + database.jdbcUrl().replaceFirst(".*/", "") + " -e";
    }
}
