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
        input("tab", Commands.withFile("table: outbox\nrelay:\n  batch-size: 7\n\tpoll-interval: 1s\n", "status"), 2, "?");
        input("colon that makes no sense", Commands.withFile("table: outbox\nfoo: bar: baz\n", "status"), 2, "?");
        input("quote without an end", Commands.withFile("db:\n  password: \"s3cret\n", "status"), 2, "?");
        input("words", Commands.withFile("just words", "status"), 2, "?");
        input("list in the place of keys", Commands.withFile("- table: outbox\n", "status"), 2, "?");
        input("two documents", Commands.withFile("table: outbox\n---\ntable: other\n", "status"), 2, "?");
        input("value in the place of a group", Commands.withFile("db: postgres", "status"), 2, "?");
        input("group in the place of a value", Commands.withFile("table: {name: outbox}", "status"), 2, "?");
        input("several values for one", Commands.withFile("table: [one, two]", "status"), 2, "?");
        input("misspelt key", Commands.withFile("relay:\n  batchsize: 7\n", "status"), 2, "?");
        input("misspelt group", Commands.withFile("relays:\n  batch-size: 7\n", "status"), 2, "?");
        input("key that is set twice", Commands.withFile("table: one\ntable: two\n", "status"), 2, "?");
        input("number that is none", Commands.withFile("relay: {batch-size: many}", "status"), 2, "?");
        input("number out of range", Commands.withFile("relay: {batch-size: 0}", "status"), 2, "?");
        input("duration without a unit", Commands.withFile("relay: {poll-interval: 5}", "status"), 2, "?");
        input("share that is none", Commands.withFile("relay: {retry: {jitter: 2}}", "status"), 2, "?");
        input("variable that is not replaced", Commands.withFile("db: {url: '${DB_URL}'}", "status"), 2, "?");
        input("list inside of a list", Commands.withFile("topics: {names: [orders, [payments]]}", "status"), 2, "?");
        input("topic that cannot be", Commands.withFile("topics: {names: [orders, pay ments]}", "status"), 2, "?");
        input("route to several topics", Commands.withFile("kafka: {routes: {a.b: [c]}}", "status"), 2, "?");
        input("misspelt property of Kafka", Commands.withFile("kafka: {bootstrap-servers: '127.0.0.1:1', properties: {lingr.ms: 5}}", "relay"), 2, "?");
        input("login without its credentials", Commands.withFile("kafka: {bootstrap-servers: '127.0.0.1:1', properties: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}}", "relay"), 2, "?");
        input("outboxes without a name", Commands.withFile("outboxes: [orders]", "status"), 2, "?");
        input("outbox of no settings", Commands.withFile("outboxes: {orders: yes}", "status"), 2, "?");
        input("outbox whose name is none", Commands.withFile("outboxes: {Orders!: {table: orders}}", "status"), 2, "?");
        input("setting of the process in an outbox", Commands.withFile("outboxes: {orders: {http: 9464}}", "status"), 2, "?");
        input("destination that there is not", Commands.withFile("relay: {destination: smtp}", "relay"), 2, "?");
        input("template that is no text", playground -> {
            playground.file("latin.yml", new byte[] {'#', (byte) 0xe9, 10});
            return Commands.run("status", "--config", "latin.yml").make(playground);
        }, 2, "?");
        input("directory in the place of a file", Commands.run("status", "--config", "."), 2, "?");
        input("file that is not there", Commands.run("status", "--config", "other.yml"), 2, "?");
    }
}
