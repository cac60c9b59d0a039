package dev.postrider.cli.devservices;

import dev.postrider.PostriderException;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServices;
import dev.postrider.devservices.DevServicesException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs the servers of {@code postrider devservices} and says how to use them. */
final class DevServers {
    private final WantedServers wanted;
    private final CommandEnvironment environment;
    private final boolean json;

    /**
     * A database that is up.
     *
     * @param client begins a command that takes an SQL statement
     */
    record RunningDatabase(String name, String url, int port, String user, String password, String client) {
        static RunningDatabase of(DevPostgres server) {
            return postgres(server.jdbcUrl(), server.port(), server.user(), server.password());
        }

        static RunningDatabase postgres(String url, int port, String user, String password) {
            String address = url.replace("jdbc:postgresql://", "postgresql://" + user + ":" + password + "@");
            return new RunningDatabase("PostgreSQL", url, port, user, password, "psql '" + address + "' -c");
        }

        static RunningDatabase of(DevMariaDb server) {
            String client = "mariadb -h 127.0.0.1 -P " + server.port() + " -u " + server.user() + " -p"
                    + server.password() + " " + server.jdbcUrl().replaceFirst(".*/", "") + " -e";
            return new RunningDatabase(
                    "MariaDB", server.jdbcUrl(), server.port(), server.user(), server.password(), client);
        }
    }

    private DevServers(WantedServers wanted, CommandEnvironment environment, boolean json) {
        this.wanted = wanted;
        this.environment = environment;
        this.json = json;
    }

    /** Returns when the user wants the command to end, and the servers have ended. */
    static void run(WantedServers wanted, CommandEnvironment environment, boolean json) throws InterruptedException {
        try {
            new DevServers(wanted, environment, json).run();
        } catch (DevServicesException e) {
            throw new PostriderException(String.valueOf(e.getMessage()), e);
        }
    }

    private void run() throws InterruptedException {
        if (wanted.mariaDb()) {
            try (DevMariaDb database = mariaDb().start();
                    DevKafka kafka = kafka().start()) {
                stay(RunningDatabase.of(database), kafka);
            }
        } else {
            try (DevServices services = DevServices.start(postgres(), kafka())) {
                stay(RunningDatabase.of(services.postgres()), services.kafka());
            }
        }
    }

    private DevPostgres.Builder postgres() {
        DevPostgres.Builder builder = DevPostgres.builder();
        WantedServers.Port port = wanted.databasePort();
        if (wanted.data() != null) {
            builder.dataDirectory(wanted.data().resolve("postgres"));
        }
        return port.required() ? builder.port(port.number()) : builder.preferredPort(port.number());
    }

    private DevMariaDb.Builder mariaDb() {
        DevMariaDb.Builder builder = DevMariaDb.builder();
        WantedServers.Port port = wanted.databasePort();
        if (wanted.data() != null) {
            builder.dataDirectory(wanted.data().resolve("mariadb"));
        }
        return port.required() ? builder.port(port.number()) : builder.preferredPort(port.number());
    }

    private DevKafka.Builder kafka() {
        DevKafka.Builder builder = DevKafka.builder().brokers(wanted.brokers());
        WantedServers.Port port = wanted.kafkaPort();
        if (wanted.data() != null) {
            builder.dataDirectory(wanted.data().resolve("kafka"));
        }
        return port.required() ? builder.port(port.number()) : builder.preferredPort(port.number());
    }

    private void stay(RunningDatabase database, DevKafka kafka) throws InterruptedException {
        tellIfMoved(wanted.databasePort().number(), database.port(), database.name());
        for (int broker = 1; broker <= kafka.brokers(); broker++) {
            tellIfMoved(wanted.kafkaPort().number() + broker - 1, kafka.port(broker), "Kafka");
        }
        if (json) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("jdbcUrl", database.url());
            object.put("user", database.user());
            object.put("password", database.password());
            object.put("bootstrapServers", kafka.bootstrapServers());
            environment.printJson(object);
        } else {
            environment.out().print(instructions(database, kafka.bootstrapServers()));
            environment.out().flush();
        }
        environment.stop().await();
    }

    private void tellIfMoved(int wanted, int actual, String server) {
        if (actual != wanted) {
            environment.err().println("Port " + wanted + " is taken; " + server + " listens on " + actual + ".");
        }
    }

    /** What the commands of the quick start need to find these servers. */
    static String exports(RunningDatabase database, String kafka) {
        return """
                export POSTRIDER_DB_URL=%s POSTRIDER_DB_USER=%s POSTRIDER_DB_PASSWORD=%s
                export POSTRIDER_KAFKA=%s
                """.formatted(database.url(), database.user(), database.password(), kafka);
    }

    private static String instructions(RunningDatabase database, String kafka) {
        return """

                %-12s %s
                  user       %s
                  password   %s
                Kafka        %s

                In another terminal:

                %s
                  ./postrider migrate
                  ./postrider relay

                Write an event in any language, for example:

                  %s "insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                    values ('acme.order.paid.v1', 'order', '1', '{\\"total\\": 42}')"

                See where it is:

                  ./postrider status

                Ctrl-C ends both servers.
                """.formatted(
                        database.name(),
                        database.url(),
                        database.user(),
                        database.password(),
                        kafka,
                        exports(database, kafka).indent(2),
                        database.client());
    }
}
