package dev.postrider.tests.input;

import dev.postrider.tests.input.BadInput.Attempt;
import dev.postrider.tests.input.BadInput.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is in the environment. */
final class EnvironmentInputs {
    private final List<BadInput> inputs = new ArrayList<>();

    static List<BadInput> all() {
        EnvironmentInputs all = new EnvironmentInputs();
        all.add();
        return all.inputs;
    }

    private void input(String name, Attempt attempt, int status, String line) {
        inputs.add(new BadInput(Kind.ENVIRONMENT, name, attempt, status, line));
    }

    private void add() {
        input(
                "misspelt variable",
                Commands.with(Map.of("POSTRIDER_RELAY_BATCHSIZE", "7"), "status"),
                2,
                "postrider: Unknown environment variable POSTRIDER_RELAY_BATCHSIZE; did you mean POSTRIDER_RELAY_BATCH_SIZE?");
        input(
                "number that is none",
                Commands.with(Map.of("POSTRIDER_RELAY_BATCH_SIZE", "many"), "status"),
                2,
                "postrider: POSTRIDER_RELAY_BATCH_SIZE is [many]; it must be a whole number from 1 to 10000.");
        input(
                "number that is negative",
                Commands.with(Map.of("POSTRIDER_RELAY_RETRY_MAX_RETRIES", "-1"), "status"),
                2,
                "postrider: POSTRIDER_RELAY_RETRY_MAX_RETRIES is [-1]; it must be a whole number of 0 or more.");
        input(
                "duration in words",
                Commands.with(Map.of("POSTRIDER_RELAY_RETRY_BASE", "soon"), "status"),
                2,
                "postrider: POSTRIDER_RELAY_RETRY_BASE is [soon]; it must be a positive duration such as 200ms, 5s, 10m or 1h.");
        input(
                "durations that do not fit together",
                Commands.with(Map.of("POSTRIDER_RELAY_RETRY_CAP", "1s", "POSTRIDER_KAFKA", "127.0.0.1:1"), "relay"),
                2,
                "postrider: relay.retry.cap is 1s; it must be at least relay.retry.base, which is 2s.");
        input(
                "two variables for one setting",
                Commands.with(Map.of("POSTRIDER_KAFKA", "a:1", "POSTRIDER_KAFKA_BOOTSTRAP_SERVERS", "b:1"), "status"),
                2,
                "postrider: POSTRIDER_KAFKA and POSTRIDER_KAFKA_BOOTSTRAP_SERVERS mean the same; set one.");
        input(
                "password in two ways",
                Commands.with(Map.of("POSTRIDER_DB_PASSWORD_FILE", "pass.txt"), "status"),
                2,
                "postrider: POSTRIDER_DB_PASSWORD and POSTRIDER_DB_PASSWORD_FILE exclude each other; keep one.");
        input(
                "password that is wrong",
                Commands.with(Map.of("POSTRIDER_DB_USER", "nobody_here", "POSTRIDER_DB_PASSWORD", "s3cret"), "status"),
                1,
                "postrider: The database jdbc:postgresql://127.0.0.1:#/test_# cannot be used: FATAL: password authentication failed for user \"nobody_here\".");
        input(
                "URL of nothing",
                Commands.with(Map.of("POSTRIDER_DB_URL", "localhost:5432/app"), "status"),
                2,
                "postrider: POSTRIDER_DB_URL is [localhost:5432/app]; it must be a JDBC URL of PostgreSQL, MariaDB or MySQL, such as jdbc:postgresql://localhost:5432/app.");
        input(
                "URL of a database that is not known",
                Commands.with(Map.of("POSTRIDER_DB_URL", "jdbc:h2:mem:app"), "status"),
                2,
                "postrider: POSTRIDER_DB_URL: The database's URL begins with jdbc:h2:, which Postrider does not know; it knows jdbc:postgresql:, jdbc:mariadb: and jdbc:mysql:.");
        input(
                "database that is not there",
                playground -> Commands.with(
                                Map.of(
                                        "POSTRIDER_DB_URL",
                                        playground.url().replaceFirst("test_\\d+", "no_such_database")),
                                "status")
                        .make(playground),
                1,
                "postrider: The database jdbc:postgresql://127.0.0.1:#/no_such_database cannot be used: FATAL: database \"no_such_database\" does not exist.");
        input(
                "table with a blank",
                Commands.with(Map.of("POSTRIDER_TABLE", "out box"), "status"),
                2,
                "postrider: POSTRIDER_TABLE is [out box]; it must be table or schema.table, of lower-case letters, digits and underscores.");
        input(
                "setting of an outbox that there is not",
                Commands.with(Map.of("POSTRIDER_OUTBOXES_ORDERS_DB_PASSWORD", "x"), "status"),
                2,
                "postrider: Unknown environment variable POSTRIDER_OUTBOXES_ORDERS_DB_PASSWORD: the configuration file has no outboxes.");
        input(
                "broker without a port",
                Commands.with(Map.of("POSTRIDER_KAFKA", "broker"), "relay"),
                2,
                "postrider: POSTRIDER_KAFKA is [broker]; it must be host:port, or several of them separated by commas.");
        input(
                "destination that there is not",
                Commands.with(Map.of("POSTRIDER_RELAY_DESTINATION", "smtp"), "relay"),
                2,
                "postrider: POSTRIDER_RELAY_DESTINATION is [smtp]; it must be kafka or log or webhook.");
        input(
                "webhook of no address",
                Commands.with(Map.of("POSTRIDER_RELAY_DESTINATION", "webhook"), "relay"),
                2,
                "postrider: webhook.url is needed and not set: use POSTRIDER_WEBHOOK_URL or the key in postrider.yml.");
        input(
                "webhook over FTP",
                Commands.with(
                        Map.of("POSTRIDER_RELAY_DESTINATION", "webhook", "POSTRIDER_WEBHOOK_URL", "ftp://shop.example"),
                        "relay"),
                2,
                "postrider: POSTRIDER_WEBHOOK_URL is not usable; it must be a URL that begins with https:// or http://.");
        input(
                "truth that is neither",
                Commands.with(Map.of("POSTRIDER_TOPICS_DEAD_LETTERS", "maybe"), "status"),
                2,
                "postrider: POSTRIDER_TOPICS_DEAD_LETTERS is [maybe]; it must be true or false.");
        input(
                "time of day that there is not",
                Commands.with(Map.of("POSTRIDER_RETENTION_AT", "25:00"), "status"),
                2,
                "postrider: POSTRIDER_RETENTION_AT is [25:00]; it must be a time of day such as 02:00.");
        input(
                "key of integrity that is not there",
                Commands.with(
                        Map.of("POSTRIDER_RELAY_INTEGRITY_KEY_FILE", "key.txt", "POSTRIDER_KAFKA", "127.0.0.1:1"),
                        "relay"),
                2,
                "postrider: The integrity key cannot be read from #/key.txt, as relay.integrity-key-file says: there is no such file.");
        input(
                "port out of range",
                Commands.with(Map.of("POSTRIDER_HTTP_LISTEN", "99999", "POSTRIDER_KAFKA", "127.0.0.1:1"), "relay"),
                2,
                "postrider: POSTRIDER_HTTP_LISTEN is [99999]; it must be a port, which means 127.0.0.1, or host:port, such as 9464 or 0.0.0.0:9464.");
        input(
                "list with an empty place",
                Commands.with(Map.of("POSTRIDER_TOPICS_NAMES", "orders,,payments"), "status"),
                2,
                "postrider: POSTRIDER_TOPICS_NAMES is [orders,,payments]; it must be names of letters, digits, dots, underscores or hyphens, separated by commas.");
    }
}
