package dev.postrider.tests.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.LogTables;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' commands are the same for a log: nobody needs to say that it is one. */
class LogOperatorCommandsTest {
    private static TestDatabase database;
    private static LogTables log;

    @TempDir
    private Path directory;

    private Operator operator;

    @BeforeAll
    static void start() {
        database = TestDatabase.withOutbox(OutboxLayout.log(3));
        log = new LogTables(database);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void begin() {
        log.clear();
        operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", DevPostgres.shared().user())
                .variable("POSTRIDER_DB_PASSWORD", DevPostgres.shared().password());
    }

    @Test
    void deadLettersAreListedShownSentAgainAndDiscarded() {
        log.insert("1", "s3cret");
        log.insert("2", "x");
        log.insert("3", "y");
        log.buryAndHold(1);
        log.hold(2, true);
        log.bury(3);

        assertThat(operator.run("dead", "list", "--json")).isZero();
        assertThat(operator.json().path("total").intValue()).isEqualTo(3);
        assertThat(operator.json().findValuesAsString("row"))
                .containsOnly("DEAD_LETTER")
                .hasSize(3);
        assertThat(operator.json().findValuesAsString("errorClass"))
                .containsExactlyInAnyOrder("Poison", "Poison", "no-letter");
        assertThat(operator.out()).doesNotContain("s3cret");

        assertThat(operator.run("dead", "show", "1")).isZero();
        assertThat(operator.out()).contains("Dead letter 1", "order/1", "it is bad", "\"s3cret\"");
        assertThat(operator.run("dead", "show", "2")).isZero();
        assertThat(operator.out()).contains("no-letter", "\"x\"");

        assertThat(operator.answering("y").run("dead", "retry", "--key", "1")).isZero();
        assertThat(operator.out()).isEqualTo("1 event will be sent again." + System.lineSeparator());
        assertThat(operator.run("dead", "discard", "--all", "--yes", "--as", "ann"))
                .isZero();
        assertThat(operator.out()).isEqualTo("2 events discarded." + System.lineSeparator());

        assertThat(log.parked()).containsExactly("1|RETRY|holds|\"s3cret\"", "2|DISCARD|holds|\"x\"");
        assertThat(operator.run("audit")).isZero();
        assertThat(operator.out()).contains("retry", "key 1", "discard", "ann").doesNotContain("handled");
    }

    @Test
    void fileIsRestored() throws Exception {
        log.insert("1", "x");
        log.readAll();
        Files.write(directory.resolve("dead.jsonl"), log.describe());

        assertThat(operator.run("restore", "dead.jsonl", "--dry-run")).isZero();
        assertThat(operator.out()).isEqualTo("1 event would be sent again." + System.lineSeparator());
        assertThat(log.parked()).isEmpty();
        assertThat(operator.run("restore", "dead.jsonl")).isZero();
        assertThat(log.parked()).containsExactly("1|RETRY|\"x\"");
        assertThat(operator.run("restore", "dead.jsonl")).isZero();
        assertThat(operator.out()).contains("1 event skipped (handled already).");
    }

    @Test
    void whatWasSentIsSentOnceMore() {
        TestTopics topics = new TestTopics("log-operator");
        topics.create("order-events", 1);
        operator.variable("POSTRIDER_KAFKA", DevKafka.shared().bootstrapServers())
                .variable("POSTRIDER_KAFKA_TOPIC_PREFIX", topics.prefix());
        log.insert("1", "x", "y", "z");
        log.bury(2);
        log.readAll();
        log.insert("1", "not yet");

        assertThat(operator.run("replay", "--from", "1h", "--to", "0s", "--dry-run"))
                .isZero();
        assertThat(operator.out()).isEqualTo("2 events would be sent; nothing was." + System.lineSeparator());
        assertThat(operator.run("replay", "--aggregate", "order/1", "--yes")).isZero();
        assertThat(operator.out()).isEqualTo("2 events sent once more." + System.lineSeparator());
        assertThat(topics.read("order-events", new StringDeserializer(), 2))
                .extracting(ConsumerRecord::value)
                .containsExactly("\"x\"", "\"z\"");
    }

    @Test
    void missingDeadLetterTableIsExplained() {
        database.execute("alter table outbox_dead_letter rename to hidden");
        try {
            assertThat(operator.run("dead", "list")).isEqualTo(1);
            assertThat(operator.err()).contains("Outbox outbox has no dead letter table");
            assertThat(operator.run("replay", "--aggregate", "order/1", "--dry-run"))
                    .as("without it nobody can tell what was sent")
                    .isEqualTo(1);
            assertThat(operator.err()).contains("Outbox outbox has no dead letter table");
        } finally {
            database.execute("alter table hidden rename to outbox_dead_letter");
        }
    }
}
