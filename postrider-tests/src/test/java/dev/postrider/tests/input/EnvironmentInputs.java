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
        input("misspelt variable", Commands.with(Map.of("POSTRIDER_RELAY_BATCHSIZE", "7"), "status"), 2, "?");
        input("number that is none", Commands.with(Map.of("POSTRIDER_RELAY_BATCH_SIZE", "many"), "status"), 2, "?");
        input("number that is negative", Commands.with(Map.of("POSTRIDER_RELAY_RETRY_MAX_RETRIES", "-1"), "status"), 2, "?");
        input("duration in words", Commands.with(Map.of("POSTRIDER_RELAY_RETRY_BASE", "soon"), "status"), 2, "?");
        input("durations that do not fit together", Commands.with(Map.of("POSTRIDER_RELAY_RETRY_CAP", "1s", "POSTRIDER_KAFKA", "127.0.0.1:1"), "relay"), 2, "?");
        input("two variables for one setting", Commands.with(Map.of("POSTRIDER_KAFKA", "a:1", "POSTRIDER_KAFKA_BOOTSTRAP_SERVERS", "b:1"), "status"), 2, "?");
        input("password in two ways", Commands.with(Map.of("POSTRIDER_DB_PASSWORD_FILE", "pass.txt"), "status"), 2, "?");
        input("password that is wrong", Commands.with(Map.of("POSTRIDER_DB_USER", "nobody_here", "POSTRIDER_DB_PASSWORD", "s3cret"), "status"), 1, "?");
        input("URL of nothing", Commands.with(Map.of("POSTRIDER_DB_URL", "localhost:5432/app"), "status"), 2, "?");
        input("URL of a database that is not known", Commands.with(Map.of("POSTRIDER_DB_URL", "jdbc:h2:mem:app"), "status"), 2, "?");
        input("database that is not there", playground -> Commands.with(Map.of("POSTRIDER_DB_URL", playground.url().replaceFirst("test_\\d+", "no_such_database")), "status").make(playground), 1, "?");
        input("table with a blank", Commands.with(Map.of("POSTRIDER_TABLE", "out box"), "status"), 2, "?");
        input("setting of an outbox that there is not", Commands.with(Map.of("POSTRIDER_OUTBOXES_ORDERS_DB_PASSWORD", "x"), "status"), 2, "?");
        input("broker without a port", Commands.with(Map.of("POSTRIDER_KAFKA", "broker"), "relay"), 2, "?");
        input("destination that there is not", Commands.with(Map.of("POSTRIDER_RELAY_DESTINATION", "smtp"), "relay"), 2, "?");
        input("webhook of no address", Commands.with(Map.of("POSTRIDER_RELAY_DESTINATION", "webhook"), "relay"), 2, "?");
        input("webhook over FTP", Commands.with(Map.of("POSTRIDER_RELAY_DESTINATION", "webhook", "POSTRIDER_WEBHOOK_URL", "ftp://shop.example"), "relay"), 2, "?");
        input("truth that is neither", Commands.with(Map.of("POSTRIDER_TOPICS_DEAD_LETTERS", "maybe"), "status"), 2, "?");
        input("time of day that there is not", Commands.with(Map.of("POSTRIDER_RETENTION_AT", "25:00"), "status"), 2, "?");
        input("key of integrity that is not there", Commands.with(Map.of("POSTRIDER_INTEGRITY_KEY_FILE", "key.txt", "POSTRIDER_KAFKA", "127.0.0.1:1"), "relay"), 2, "?");
        input("port out of range", Commands.with(Map.of("POSTRIDER_HTTP", "99999", "POSTRIDER_KAFKA", "127.0.0.1:1"), "relay"), 2, "?");
        input("list with an empty place", Commands.with(Map.of("POSTRIDER_TOPICS_NAMES", "orders,,payments"), "status"), 2, "?");
    }
}
