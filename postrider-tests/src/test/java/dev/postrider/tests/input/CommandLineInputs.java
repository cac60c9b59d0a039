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
        input(
                "unknown command",
                Commands.run("stauts"),
                2,
                "postrider: Unknown command [stauts]; did you mean status? See 'postrider --help'.");
        input(
                "argument nobody takes",
                Commands.run("status", "please"),
                2,
                "postrider: Unexpected argument [please]; 'postrider status' takes options only. See 'postrider status --help'.");
        input(
                "option without its value",
                Commands.run("status", "--table"),
                2,
                "postrider: Missing required parameter for option '--table' (<table>). See 'postrider status --help'.");
        input(
                "name that is no table's",
                Commands.run("status", "--table", "Out Box"),
                2,
                "postrider: --table is [Out Box]; it must be table or schema.table, of lower-case letters, digits and underscores.");
        input(
                "table that is not there",
                Commands.run("status", "--table", "nothing_here"),
                1,
                "postrider: There is no outbox table nothing_here in this database. Create it with OutboxSchema.migrate(..) or 'postrider migrate'.");
        input(
                "duration without a unit",
                Commands.run("status", "--watch=5"),
                2,
                "postrider: --watch is [5]; it must be a duration of at least 100ms, in ms, s, m, h or d.");
        input(
                "outbox that the file does not have",
                Commands.run("status", "--outbox", "orders"),
                2,
                "postrider: --outbox is [orders], but the configuration file has no outboxes.");
        input(
                "number that is none",
                Commands.run("relay", "--batch-size", "many"),
                2,
                "postrider: --batch-size is [many]; it must be a whole number from 1 to 10000.");
        input(
                "misspelt option",
                Commands.run("relay", "--batch-sise=7"),
                2,
                "postrider: Unknown option --batch-sise; did you mean --batch-size? See 'postrider relay --help'.");
        input(
                "name of another program's option",
                Commands.run("relay", "--bootstrap-server", "localhost:9092"),
                2,
                "postrider: Unknown option --bootstrap-server; did you mean --kafka? See 'postrider relay --help'.");
        input(
                "broker without a port",
                Commands.run("relay", "--kafka", "broker"),
                2,
                "postrider: --kafka is [broker]; it must be host:port, or several of them separated by commas.");
        input(
                "poll interval without a unit",
                Commands.run("relay", "--poll-interval", "5"),
                2,
                "postrider: --poll-interval is [5]; it must be a positive duration such as 200ms, 5s, 10m or 1h.");
        input(
                "part of a split that cannot be",
                Commands.run("relay", "--split", "3/3"),
                2,
                "postrider: --split is [3/3]; it must be i/n with i from 0 to n - 1, such as 0/3.");
        input(
                "order that there is not",
                Commands.run("relay", "--ordering", "time"),
                2,
                "postrider: --ordering is [time]; it must be key or none.");
        input(
                "port that is none",
                Commands.run("relay", "--http", "localhost"),
                2,
                "postrider: --http is [localhost]; it must be a port, which means 127.0.0.1, or host:port, such as 9464 or 0.0.0.0:9464.");
        input(
                "format of logs that there is not",
                Commands.run("relay", "--log-format", "xml"),
                2,
                "postrider: --log-format is [xml]; it must be text or json.");
        input(
                "relay without a broker",
                Commands.run("relay"),
                2,
                "postrider: kafka.bootstrap-servers is needed and not set: use --kafka, POSTRIDER_KAFKA_BOOTSTRAP_SERVERS or the key in postrider.yml.");
        input(
                "mode that there is not",
                Commands.run("migrate", "--mode", "wal"),
                2,
                "postrider: --mode is [wal]; it must be claim or log.");
        input(
                "shards in claim mode",
                Commands.run("migrate", "--mode", "claim", "--shards", "2"),
                2,
                "postrider: --shards is for log mode; in claim mode relays share the events without shards.");
        input(
                "too many shards",
                Commands.run("migrate", "--shards", "257"),
                2,
                "postrider: --shards is [257]; it must be a whole number from 1 to 256.");
        input(
                "rate of zero",
                Commands.run("demo", "--rate", "0"),
                2,
                "postrider: --rate is [0]; it must be a whole number from 1 to 1000000.");
        input(
                "database that the demo does not have",
                Commands.run("demo", "--db", "oracle"),
                2,
                "postrider: --db is [oracle]; it must be postgresql or mariadb.");
        input(
                "number of brokers that cannot be",
                Commands.run("devservices", "--brokers", "2"),
                2,
                "postrider: --brokers is [2]; it must be 1 or 3.");
        input(
                "id that is none",
                Commands.run("dead", "show", "x"),
                2,
                "postrider: The id is [x]; it must be a whole number of 1 or more.");
        input(
                "dead letter that is not there",
                Commands.run("dead", "show", "4711"),
                1,
                "postrider: There is no dead letter 4711 in outbox outbox.");
        input(
                "dead letters of no condition",
                Commands.run("dead", "retry", "--yes"),
                2,
                "postrider: Which dead letters? Say it by --id, --event-id, --key, --aggregate, --type, --error-class, --since or --until, or say --all.");
        input(
                "change without a terminal",
                Commands.run("dead", "retry", "--all"),
                2,
                "postrider: There is no terminal to ask for confirmation: pass --yes to go ahead, or --dry-run to see what would be done.");
        input(
                "two conditions that exclude each other",
                Commands.run("dead", "retry", "--all", "--type", "x", "--yes"),
                2,
                "postrider: --all means every dead letter; leave out the other conditions, or --all.");
        input(
                "time that is none",
                Commands.run("dead", "--since", "yesterday"),
                2,
                "postrider: --since is [yesterday]; it must be a time such as 2026-03-01T12:00:00Z, or so long ago, such as 30m, 2h or 7d.");
        input(
                "aggregate without its type",
                Commands.run("replay", "--aggregate", "42", "--yes"),
                2,
                "postrider: --aggregate is [42]; it must be the aggregate's type and its id, such as order/42.");
        input(
                "file that is not there",
                Commands.run("restore", "nothing.jsonl"),
                2,
                "postrider: The file nothing.jsonl cannot be read: there is no such file.");
        input(
                "database that is not known",
                Commands.run("status", "--db-url", "jdbc:oracle:thin:scott/tiger@//localhost:1521/app"),
                2,
                "postrider: --db-url: The database's URL begins with jdbc:oracle:, which Postrider does not know; it knows jdbc:postgresql:, jdbc:mariadb: and jdbc:mysql:.");
        input(
                "server that is not there",
                Commands.run("status", "--db-url", "jdbc:postgresql://127.0.0.1:1/app"),
                1,
                "postrider: The database jdbc:postgresql://127.0.0.1:1/app cannot be used: Connection to 127.0.0.1:1 refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.");
        input(
                "host that is not there",
                Commands.run("status", "--db-url", "jdbc:postgresql://no-such-host.invalid:5432/app"),
                1,
                "postrider: The database jdbc:postgresql://no-such-host.invalid:5432/app cannot be used: there is no host no-such-host.invalid.");
        input(
                "topic that is no dead letter topic",
                Commands.run("topics", "redrive", "order-events", "--yes"),
                2,
                "postrider: [order-events] is not the name of a dead letter topic: those end with .dlq (topics.dead-letter-suffix).");
        input(
                "reason for a log that is new",
                Commands.run("adopt", "--after", "lunch"),
                2,
                "postrider: --after is [lunch]; it must be restore or upgrade.");
        input(
                "pause by nobody",
                Commands.run("pause", "--as", " ", "--reason", "x"),
                2,
                "postrider: --as is empty; it must be the name of somebody.");
    }
}
