package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is typed about Debezium is checked before anybody is contacted, or anything started. */
class DebeziumInputTest {
    @TempDir
    Path directory;

    private Session session;

    @BeforeEach
    void begin() {
        // Nothing listens on this port.
        session = new Session(directory).variable("POSTRIDER_DB_URL", "jdbc:postgresql://127.0.0.1:1/app");
    }

    @Test
    void commandHasHelpWithAnExample() {
        assertThat(session.run("debezium", "config", "--help")).isZero();
        assertThat(session.out()).contains("Usage: postrider debezium config", "Example", "--stock");
    }

    @Test
    void namesThatPostgresOrKafkaRefuseAreRefused() {
        assertRefused(session.run("debezium", "config", "--slot", "My-Slot"), "--slot is [My-Slot]");
        assertRefused(session.run("debezium", "config", "--publication", "1st"), "--publication is [1st]");
        assertRefused(session.run("debezium", "config", "--name", "a b"), "--name is [a b]");
        assertRefused(
                session.run("debezium", "config", "--undeliverable-topic", "a/b"), "--undeliverable-topic is [a/b]");
    }

    @Test
    void databasesWithoutLogModeAreRefused() {
        session.variable("POSTRIDER_DB_URL", "jdbc:mariadb://127.0.0.1:1/app");
        assertRefused(session.run("debezium", "config"), "log mode, which needs PostgreSQL");
    }

    @Test
    void demoDeliversByDebeziumOnlyWhatDebeziumCan() {
        assertRefused(session.run("demo", "--via", "pigeon"), "--via is [pigeon]", "relay or debezium");
        assertRefused(session.run("demo", "--via", "debezium", "--mode", "claim"), "--via debezium", "--mode log");
        assertRefused(
                session.run("demo", "--via", "debezium", "--delivery", "exactly-once"),
                "--via debezium",
                "at-least-once");
        assertRefused(session.run("demo", "--via", "debezium", "--db", "mariadb"), "--via debezium", "PostgreSQL");
    }

    private void assertRefused(int status, String... words) {
        assertThat(status).as(session.err()).isEqualTo(2);
        assertThat(session.errLines()).hasSizeLessThanOrEqualTo(2);
        assertThat(session.err()).contains(words);
        assertThat(session.out()).isEmpty();
    }
}
