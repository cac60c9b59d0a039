package dev.postrider.tests.input;

import dev.postrider.tests.input.BadInput.Attempt;
import dev.postrider.tests.input.BadInput.Kind;
import java.util.ArrayList;
import java.util.List;

/** What people write into {@code postrider.yml}. */
final class YamlInputs {
    private final List<BadInput> inputs = new ArrayList<>();

    static List<BadInput> all() {
        YamlInputs all = new YamlInputs();
        all.add();
        return all.inputs;
    }

    private void input(String name, Attempt attempt, int status, String line) {
        inputs.add(new BadInput(Kind.YAML, name, attempt, status, line));
    }

    private void add() {
        input(
                "tab",
                Commands.withFile("table: outbox\nrelay:\n  batch-size: 7\n\tpoll-interval: 1s\n", "status"),
                2,
                "postrider: The configuration file postrider.yml is not YAML: line 4 is indented with a tab; use blanks.");
        input(
                "colon that makes no sense",
                Commands.withFile("table: outbox\nfoo: bar: baz\n", "status"),
                2,
                "postrider: The configuration file postrider.yml is not YAML: see line 2, column 9.");
        input(
                "quote without an end",
                Commands.withFile("db:\n  password: \"s3cret\n", "status"),
                2,
                "postrider: The configuration file postrider.yml is not YAML: see line 2, column 11.");
        input(
                "words",
                Commands.withFile("just words", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: it must consist of keys and values, such as table: outbox.");
        input(
                "list in the place of keys",
                Commands.withFile("- table: outbox\n", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: it must consist of keys and values, such as table: outbox.");
        input(
                "two documents",
                Commands.withFile("table: outbox\n---\ntable: other\n", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 3: it must be one document.");
        input(
                "value in the place of a group",
                Commands.withFile("db: postgres", "status"),
                2,
                "postrider: db in postrider.yml must be a group of keys: db.url, db.user, db.password, db.password-file, db.replication-user, db.replication-password,"
                        + " db.replication-password-file, db.pooling.");
        input(
                "group in the place of a value",
                Commands.withFile("table: {name: outbox}", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: table must be a single value.");
        input(
                "several values for one",
                Commands.withFile("table: [one, two]", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: table must be a single value.");
        input(
                "misspelt key",
                Commands.withFile("relay:\n  batchsize: 7\n", "status"),
                2,
                "postrider: Unknown key relay.batchsize in postrider.yml; did you mean relay.batch-size?");
        input(
                "misspelt group",
                Commands.withFile("relays:\n  batch-size: 7\n", "status"),
                2,
                "postrider: Unknown key relays in postrider.yml; did you mean relay?");
        input(
                "key that is set twice",
                Commands.withFile("table: one\ntable: two\n", "status"),
                2,
                "postrider: table in postrider.yml is set twice; keep one.");
        input(
                "number that is none",
                Commands.withFile("relay: {batch-size: many}", "status"),
                2,
                "postrider: relay.batch-size in postrider.yml is [many]; it must be a whole number from 1 to 10000.");
        input(
                "number out of range",
                Commands.withFile("relay: {batch-size: 0}", "status"),
                2,
                "postrider: relay.batch-size in postrider.yml is [0]; it must be a whole number from 1 to 10000.");
        input(
                "duration without a unit",
                Commands.withFile("relay: {poll-interval: 5}", "status"),
                2,
                "postrider: relay.poll-interval in postrider.yml is [5]; it must be a positive duration such as 200ms, 5s, 10m or 1h.");
        input(
                "share that is none",
                Commands.withFile("relay: {retry: {jitter: 2}}", "status"),
                2,
                "postrider: relay.retry.jitter in postrider.yml is [2]; it must be a number from 0 to 1.");
        input(
                "variable that is not replaced",
                Commands.withFile("db: {url: '${DB_URL}'}", "status"),
                2,
                "postrider: db.url in postrider.yml refers to ${DB_URL}, but variables are not replaced in this file. Set POSTRIDER_DB_URL in the environment instead.");
        input(
                "list inside of a list",
                Commands.withFile("topics: {names: [orders, [payments]]}", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: each element of topics.names must be a single value.");
        input(
                "topic that cannot be",
                Commands.withFile("topics: {names: [orders, pay ments]}", "status"),
                2,
                "postrider: topics.names in postrider.yml is [orders,pay ments]; it must be names of letters, digits, dots, underscores or hyphens, separated by commas.");
        input(
                "route to several topics",
                Commands.withFile("kafka: {routes: {a.b: [c]}}", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: kafka.routes.a.b must be a single value.");
        input(
                "misspelt property of Kafka",
                Commands.withFile("kafka: {bootstrap-servers: '127.0.0.1:1', properties: {lingr.ms: 5}}", "relay"),
                2,
                "postrider: kafka.properties names lingr.ms, which is not a property of Kafka's producer; did you mean linger.ms?");
        input(
                "login without its credentials",
                Commands.withFile(
                        "kafka: {bootstrap-servers: '127.0.0.1:1', properties: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}}",
                        "relay"),
                2,
                "postrider: Kafka's client cannot be used with these kafka.properties: Could not find a 'KafkaClient' entry in the JAAS configuration. System property 'java.security.auth.login.config' is not set.");
        input(
                "outboxes without a name",
                Commands.withFile("outboxes: [orders]", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: outboxes must consist of names, each with its settings below it.");
        input(
                "outbox of no settings",
                Commands.withFile("outboxes: {orders: yes}", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: outboxes.orders needs settings of its own, such as table: orders.");
        input(
                "outbox whose name is none",
                Commands.withFile("outboxes: {Orders!: {table: orders}}", "status"),
                2,
                "postrider: The configuration file postrider.yml is not understood at line 1: [Orders!] is no name of an outbox; use up to 40 lower-case letters, digits and hyphens.");
        input(
                "setting of the process in an outbox",
                Commands.withFile("outboxes: {orders: {http: {listen: 9464}}}", "status"),
                2,
                "postrider: outboxes.orders.http.listen in postrider.yml is for the whole process: set http.listen outside of outboxes.");
        input(
                "destination that there is not",
                Commands.withFile("relay: {destination: smtp}", "relay"),
                2,
                "postrider: relay.destination in postrider.yml is [smtp]; it must be kafka or log or webhook.");
        input(
                "template that is no text",
                playground -> {
                    playground.file("latin.yml", new byte[] {'#', (byte) 0xe9, 10});
                    return Commands.run("status", "--config", "latin.yml").make(playground);
                },
                2,
                "postrider: The configuration file latin.yml cannot be read: it is not text in UTF-8.");
        input(
                "directory in the place of a file",
                Commands.run("status", "--config", "."),
                2,
                "postrider: The configuration file . cannot be read: it is a directory.");
        input(
                "file that is not there",
                Commands.run("status", "--config", "other.yml"),
                2,
                "postrider: The configuration file other.yml cannot be read: there is no such file.");
    }
}
