package dev.postrider.tests.input;

import dev.postrider.tests.input.BadInput.Attempt;
import dev.postrider.tests.input.BadInput.Kind;
import java.util.ArrayList;
import java.util.List;

/** What people type. */
final class CommandLineInputs {
    private final List<BadInput> inputs = new ArrayList<>();

    static List<BadInput> all() {
        CommandLineInputs all = new CommandLineInputs();
        all.add();
        return all.inputs;
    }

    private void input(String name, Attempt attempt, int status, String line) {
        inputs.add(new BadInput(Kind.COMMAND_LINE, name, attempt, status, line));
    }

    private void add() {
        input("unknown command", Commands.run("stauts"), 2, "?");
        input("argument nobody takes", Commands.run("status", "please"), 2, "?");
        input("option without its value", Commands.run("status", "--table"), 2, "?");
        input("name that is no table's", Commands.run("status", "--table", "Out Box"), 2, "?");
        input("table that is not there", Commands.run("status", "--table", "nothing_here"), 1, "?");
        input("duration without a unit", Commands.run("status", "--watch=5"), 2, "?");
        input("outbox that the file does not have", Commands.run("status", "--outbox", "orders"), 2, "?");
        input("number that is none", Commands.run("relay", "--batch-size", "many"), 2, "?");
        input("misspelt option", Commands.run("relay", "--batch-sise=7"), 2, "?");
        input("name of another program's option", Commands.run("relay", "--bootstrap-server", "localhost:9092"), 2, "?");
        input("broker without a port", Commands.run("relay", "--kafka", "broker"), 2, "?");
        input("poll interval without a unit", Commands.run("relay", "--poll-interval", "5"), 2, "?");
        input("part of a split that cannot be", Commands.run("relay", "--split", "3/3"), 2, "?");
        input("order that there is not", Commands.run("relay", "--ordering", "time"), 2, "?");
        input("port that is none", Commands.run("relay", "--http", "localhost"), 2, "?");
        input("format of logs that there is not", Commands.run("relay", "--log-format", "xml"), 2, "?");
        input("relay without a broker", Commands.run("relay"), 2, "?");
        input("mode that there is not", Commands.run("migrate", "--mode", "wal"), 2, "?");
        input("shards in claim mode", Commands.run("migrate", "--mode", "claim", "--shards", "2"), 2, "?");
        input("too many shards", Commands.run("migrate", "--shards", "257"), 2, "?");
        input("layout unlike the outbox that is there", Commands.run("migrate", "--mode", "claim"), 1, "?");
        input("rate of zero", Commands.run("demo", "--rate", "0"), 2, "?");
        input("database that the demo does not have", Commands.run("demo", "--db", "oracle"), 2, "?");
        input("number of brokers that cannot be", Commands.run("devservices", "--brokers", "2"), 2, "?");
        input("id that is none", Commands.run("dead", "show", "x"), 2, "?");
        input("dead letter that is not there", Commands.run("dead", "show", "4711"), 1, "?");
        input("dead letters of no condition", Commands.run("dead", "retry", "--yes"), 2, "?");
        input("change without a terminal", Commands.run("dead", "retry", "--all"), 2, "?");
        input("two conditions that exclude each other", Commands.run("dead", "retry", "--all", "--type", "x", "--yes"), 2, "?");
        input("time that is none", Commands.run("dead", "--since", "yesterday"), 2, "?");
        input("aggregate without its type", Commands.run("replay", "--aggregate", "42", "--yes"), 2, "?");
        input("file that is not there", Commands.run("restore", "nothing.jsonl"), 2, "?");
        input("database that is not known", Commands.run("status", "--db-url", "jdbc:oracle:thin:scott/tiger@//localhost:1521/app"), 2, "?");
        input("server that is not there", Commands.run("status", "--db-url", "jdbc:postgresql://127.0.0.1:1/app"), 1, "?");
        input("host that is not there", Commands.run("status", "--db-url", "jdbc:postgresql://no-such-host.invalid:5432/app"), 1, "?");
        input("topic that is no dead letter topic", Commands.run("topics", "redrive", "order-events", "--yes"), 2, "?");
        input("reason for a log that is new", Commands.run("adopt", "--after", "lunch"), 2, "?");
        input("pause by nobody", Commands.run("pause", "--as", " "), 2, "?");
    }
}
