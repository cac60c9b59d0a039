package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.StopSignal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong: one line that says what, the right exit status, nothing on standard output. */
class BadInputTest {
    /** Nothing listens on this port. */
    private static final String NO_DATABASE = "jdbc:postgresql://127.0.0.1:1/app";

    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        session = new Session(directory);
    }

    @Test
    void unknownCommandIsNamedWithTheNearestOne() {
        assertRefused(session.run("stauts"), "Unknown command [stauts]; did you mean status?");
    }

    @Test
    void noCommandShowsTheCommands() {
        assertThat(session.run()).isEqualTo(2);
        assertThat(session.err()).contains("Usage: postrider", "demo", "relay", "status");
    }

    @Test
    void unknownOptionIsNamedWithTheNearestOne() {
        assertRefused(
                session.run("relay", "--batch-sise=7"), "Unknown option --batch-sise; did you mean --batch-size?");
    }

    @Test
    void nameOfASettingTypedAsAFlagLeadsToItsFlag() {
        assertRefused(
                session.run("relay", "--bootstrap-server", "localhost:9092"),
                "Unknown option --bootstrap-server; did you mean --kafka?");
        assertRefused(session.run("status", "--url=x"), "Unknown option --url; did you mean --db-url?");
        assertRefused(session.run("status", "--bootstrap-server", "x"), "Unknown option --bootstrap-server.");
    }

    @Test
    void unexpectedArgumentIsNamed() {
        assertRefused(session.run("status", "please"), "Unexpected argument [please]");
    }

    @Test
    void optionWithoutItsValueIsNamed() {
        assertRefused(session.run("status", "--table"), "--table");
    }

    @Test
    void unusableFlagSaysWhatIsAllowed() {
        assertRefused(session.run("relay", "--batch-size", "many"), "--batch-size is [many]", "from 1 to 10000");
        assertRefused(session.run("relay", "--poll-interval", "5"), "--poll-interval is [5]", "200ms");
        assertRefused(session.run("relay", "--split", "3/3"), "--split is [3/3]", "0/3");
        assertRefused(session.run("relay", "--ordering", "time"), "--ordering is [time]", "key or none");
        assertRefused(session.run("relay", "--kafka", "broker"), "--kafka is [broker]", "host:port");
        assertRefused(session.run("status", "--table", "Out Box"), "--table is [Out Box]", "lower-case");
        assertRefused(session.run("relay", "--http", "localhost"), "--http is [localhost]", "0.0.0.0:9464");
        assertRefused(session.run("demo", "--rate", "0"), "--rate is [0]", "from 1");
        assertRefused(session.run("demo", "--mode", "magic"), "--mode is [magic]", "claim or log");
        assertRefused(session.run("devservices", "--brokers", "2"), "--brokers is [2]", "1 or 3");
    }

    @Test
    void databaseThatIsNotKnownIsRefusedByNameWithoutItsPassword() {
        for (String command : new String[] {"relay", "status", "migrate", "doctor", "alter"}) {
            assertRefused(
                    session.run(command, "--db-url", "jdbc:oracle:thin:scott/tiger@//localhost:1521/app"),
                    "--db-url: The database's URL begins with jdbc:oracle:, which Postrider does not know; it knows"
                            + " jdbc:postgresql:, jdbc:mariadb: and jdbc:mysql:.");
            assertThat(session.err()).doesNotContain("tiger");
        }
        session.variable("POSTRIDER_DB_URL", "jdbc:h2:mem:app");
        assertRefused(session.run("status"), "POSTRIDER_DB_URL: The database's URL begins with jdbc:h2:,");
    }

    @Test
    void layoutThatCannotBeIsRefusedBeforeAnythingIsDone() {
        for (String command : new String[] {"migrate", "demo"}) {
            assertRefused(session.run(command, "--mode", "wal"), "--mode is [wal]", "claim or log");
            assertRefused(session.run(command, "--shards", "0"), "--shards is [0]", "from 1 to 256");
            assertRefused(session.run(command, "--shards", "257"), "--shards is [257]", "from 1 to 256");
            assertRefused(
                    session.run(command, "--delivery", "twice"),
                    "--delivery is [twice]",
                    "at-least-once or exactly-once");
            assertRefused(session.run(command, "--mode", "claim", "--shards", "2"), "--shards is for log mode");
            assertRefused(
                    session.run(command, "--mode", "claim", "--delivery", "exactly-once"),
                    "exactly-once needs log mode");
        }
    }

    @Test
    void transactionSizeOutOfRangeIsRefused() {
        session.variable("POSTRIDER_RELAY_TRANSACTION_SIZE", "0");
        assertRefused(session.run("status"), "POSTRIDER_RELAY_TRANSACTION_SIZE is [0]", "from 1 to 10000");
    }

    @Test
    void unusableVariableIsNamed() {
        session.variable("POSTRIDER_RELAY_RETRY_BASE", "soon");
        assertRefused(session.run("status"), "POSTRIDER_RELAY_RETRY_BASE is [soon]", "200ms");
    }

    @Test
    void unknownVariableIsNamedWithTheNearestOne() {
        session.variable("POSTRIDER_RELAY_BATCHSIZE", "7");
        assertRefused(session.run("status"), "POSTRIDER_RELAY_BATCHSIZE; did you mean POSTRIDER_RELAY_BATCH_SIZE?");
        assertRefused(session.run("demo"), "POSTRIDER_RELAY_BATCHSIZE");
    }

    @Test
    void optionsForTheJvmAreNotOurs() {
        session.variable("POSTRIDER_JAVA_OPTS", "-Xmx64m");
        assertThat(session.run("migrate", "--print")).isZero();
    }

    @Test
    void twoVariablesForOneSettingAreRefused() {
        session.variable("POSTRIDER_KAFKA", "a:1").variable("POSTRIDER_KAFKA_BOOTSTRAP_SERVERS", "b:1");
        assertRefused(session.run("status"), "POSTRIDER_KAFKA and POSTRIDER_KAFKA_BOOTSTRAP_SERVERS");
    }

    @Test
    void unusableValueInTheFileIsNamedWithItsKey() {
        session.file("postrider.yml", "relay: {batch-size: many}");
        assertRefused(session.run("status"), "relay.batch-size in postrider.yml is [many]", "from 1 to 10000");
    }

    @Test
    void unknownKeyInTheFileIsNamedWithTheNearestOne() {
        session.file("postrider.yml", "relay:\n  batchsize: 7\n");
        assertRefused(
                session.run("status"), "Unknown key relay.batchsize in postrider.yml; did you mean relay.batch-size?");
        session.file("postrider.yml", "relays:\n  batch-size: 7\n");
        assertRefused(session.run("status"), "Unknown key relays in postrider.yml; did you mean relay?");
    }

    @Test
    void keySetTwiceInTheFileIsNamed() {
        session.file("postrider.yml", "table: one\ntable: two\n");
        assertRefused(session.run("status"), "table in postrider.yml is set twice");
    }

    @Test
    void wrongShapeOfTheFileIsRefused() {
        session.file("postrider.yml", "db: postgres");
        assertRefused(session.run("status"), "db in postrider.yml must be a group of keys", "db.url");
        session.file("postrider.yml", "table: [one, two]");
        assertRefused(session.run("status"), "line 1: table must be a single value");
        session.file("postrider.yml", "kafka: {routes: {a.b: [c]}}");
        assertRefused(session.run("status"), "kafka.routes.a.b must be a single value");
        session.file("postrider.yml", "just words");
        assertRefused(session.run("status"), "keys and values");
        session.file("postrider.yml", "topics: {names: [orders, [payments]]}");
        assertRefused(session.run("status"), "each element of topics.names must be a single value");
        session.file("postrider.yml", "topics:\n  names:\n  - orders\n  - pay ments\n");
        assertRefused(
                session.run("status"), "topics.names in postrider.yml is [orders,pay ments]", "separated by commas");
    }

    @Test
    void brokenFileIsLocatedButNeverQuoted() {
        session.file("postrider.yml", "db:\n  password: \"s3cret\n");
        assertRefused(session.run("status"), "postrider.yml is not YAML: see line 2");
        assertThat(session.err()).doesNotContain("s3cret");
    }

    @Test
    void whatIsNoYamlIsSaidBeforeItsKeysAreJudged() {
        session.file("postrider.yml", "table: outbox\nfoo: bar: baz\n");
        assertRefused(session.run("status"), "postrider.yml is not YAML: see line 2, column 9.");
    }

    @Test
    void lineThatIsIndentedWithATabIsNamed() {
        session.file(
                "postrider.yml", "table: outbox\nrelay:\n  batch-size: 7\n\tpoll-interval: 1s\ndb:\n  user: app\n");
        assertRefused(session.run("status"), "postrider.yml is not YAML: line 4 is indented with a tab; use blanks.");
    }

    @Test
    void variableInTheFileIsRefusedWithTheOneToSet() {
        session.file("postrider.yml", "db: {url: '${DB_URL}', password: '${DB_PASSWORD:s3cret}'}");
        assertRefused(
                session.run("status"),
                "db.url in postrider.yml refers to ${DB_URL}, but variables are not replaced in this file.",
                "Set POSTRIDER_DB_URL in the environment instead.");
        session.file("postrider.yml", "kafka: '${HOST}:9092'");
        assertRefused(session.run("status"), "refers to ${HOST}", "POSTRIDER_KAFKA_BOOTSTRAP_SERVERS");
    }

    @Test
    void fileThatIsNoTextOrNoFileIsSaidToBeSo() throws IOException {
        Files.write(directory.resolve("latin.yml"), new byte[] {'#', (byte) 0xe9, '\n'});
        assertRefused(session.run("status", "--config", "latin.yml"), "latin.yml", "not text in UTF-8");
        assertRefused(
                session.run("status", "--config", "."), "configuration file . cannot be read: it is a directory.");
    }

    @Test
    void passwordFileThatHoldsNoPasswordIsRefused() throws IOException {
        Files.write(directory.resolve("pass.txt"), new byte[] {(byte) 0xff, 's', '3', 'c'});
        assertRefused(status("pass.txt"), "The password file pass.txt cannot be read: it is not text in UTF-8.");
        session.file("pass.txt", "\n");
        assertRefused(status("pass.txt"), "The password file pass.txt is empty.");
        session.file("pass.txt", "s3cret\nother\n");
        assertRefused(status("pass.txt"), "The password file pass.txt has several lines; it must have one.");
        assertThat(session.err()).doesNotContain("s3cret");
    }

    private int status(String passwordFile) {
        return session.run("status", "--db-url", NO_DATABASE, "--db-password-file", passwordFile);
    }

    @Test
    void hostThatIsNotKnownIsNamed() {
        assertOneLine(
                session.run("status", "--db-url", "jdbc:postgresql://no-such-host.invalid:5432/app"),
                1,
                "there is no host no-such-host.invalid.");
    }

    @Test
    void misspeltPropertyOfKafkaIsNamedWithTheNearestOne() {
        session.file("postrider.yml", "kafka: {bootstrap-servers: '127.0.0.1:1', properties: {lingr.ms: 5}}");
        assertRefused(
                session.run("relay", "--db-url", NO_DATABASE),
                "kafka.properties names lingr.ms, which is not a property of Kafka's producer; did you mean linger.ms?");
    }

    @Test
    void fileWithKafkasPropertiesIsCheckedToo() {
        session.file("postrider.yml", "kafka: {bootstrap-servers: '127.0.0.1:1', properties-file: kafka.properties}");
        assertRefused(
                session.run("relay", "--db-url", NO_DATABASE),
                "The file with Kafka's properties kafka.properties cannot be read: there is no such file.");

        session.file("kafka.properties", "lingr.ms=5");
        assertRefused(
                session.run("relay", "--db-url", NO_DATABASE),
                "kafka.properties names lingr.ms, which is not a property of Kafka's producer; did you mean linger.ms?");

        session.file("kafka.properties", "bootstrap.servers=127.0.0.1:1");
        assertRefused(
                session.run("relay", "--db-url", NO_DATABASE), "kafka.properties names bootstrap.servers: use --kafka");

        session.file("kafka.properties", "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN");
        assertRefused(session.run("relay", "--db-url", NO_DATABASE), "JAAS");
        session.file(
                "postrider.yml",
                "kafka: {bootstrap-servers: '127.0.0.1:1', properties-file: kafka.properties, properties: {security.protocol: PLAINTEXT}}");
        // Not relay, which would wait for its database.
        assertThat(session.run("doctor", "--db-url", NO_DATABASE))
                .as("settings have precedence")
                .isNotEqualTo(2);
    }

    @Test
    void loginWithoutItsCredentialsIsRefusedBeforeAnythingIsTried() {
        session.file(
                "postrider.yml",
                "kafka: {bootstrap-servers: '127.0.0.1:1', properties: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}}");
        assertRefused(
                session.run("relay", "--db-url", NO_DATABASE),
                "Kafka's client cannot be used with these kafka.properties:",
                "JAAS");
    }

    @Test
    void outputThatCannotBeWrittenIsAnError() {
        PrintStream full = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = PostriderCommand.run(
                new CommandEnvironment(
                        directory,
                        Map.of(),
                        full,
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new StopSignal()),
                "migrate",
                "--print");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualToNormalizingNewlines(
                        "postrider: The output could not be written: its device is full, or was closed.\n");
    }

    @Test
    void missingFilesAreNamed() {
        assertRefused(session.run("status", "--config", "other.yml"), "other.yml", "no such file");
        assertRefused(
                session.run("status", "--db-url", NO_DATABASE, "--db-password-file", "pass.txt"),
                "pass.txt",
                "no such file");
    }

    @Test
    void missingSettingSaysHowToSetIt() {
        assertRefused(session.run("status"), "db.url is needed", "--db-url", "POSTRIDER_DB_URL");
        assertRefused(session.run("relay", "--db-url", NO_DATABASE), "kafka.bootstrap-servers is needed", "--kafka");
    }

    @Test
    void settingsThatDoNotFitTogetherAreRefused() {
        session.variable("POSTRIDER_RELAY_RETRY_CAP", "1s");
        assertRefused(session.run("relay", "--db-url", NO_DATABASE, "--kafka", "127.0.0.1:1"), "retry.cap");
    }

    @Test
    void producerPropertyKafkaDoesNotAcceptIsRefused() {
        session.file("postrider.yml", "kafka: {properties: {linger.ms: soon}}");
        assertRefused(session.run("relay", "--db-url", NO_DATABASE, "--kafka", "127.0.0.1:1"), "linger.ms");
    }

    @Test
    void passwordGivenInTwoWaysInOnePlaceIsRefused() {
        session.variable("POSTRIDER_DB_PASSWORD", "s3cret").variable("POSTRIDER_DB_PASSWORD_FILE", "pass.txt");
        assertRefused(session.run("status", "--db-url", NO_DATABASE), "POSTRIDER_DB_PASSWORD_FILE", "exclude");
        assertThat(session.err()).doesNotContain("s3cret");
    }

    @Test
    void unreachableDatabaseIsAnErrorOfTheEnvironment() {
        for (String command : new String[] {"status", "migrate"}) {
            assertOneLine(session.run(command, "--db-url", NO_DATABASE), 1, NO_DATABASE, "refused");
        }
    }

    @Test
    void verboseAddsTheStackTrace() {
        assertThat(session.run("status", "--db-url", NO_DATABASE + "?password=s3cret", "--verbose"))
                .isEqualTo(1);
        assertThat(session.err()).contains("\tat dev.postrider.cli.").doesNotContain("s3cret");
    }

    private void assertRefused(int status, String... parts) {
        assertOneLine(status, 2, parts);
    }

    private void assertOneLine(int status, int expectedStatus, String... parts) {
        assertThat(session.errLines()).as(session.err()).hasSize(1);
        assertThat(session.err()).startsWith("postrider: ").contains(parts);
        assertThat(session.out()).isEmpty();
        assertThat(status).isEqualTo(expectedStatus);
    }
}
