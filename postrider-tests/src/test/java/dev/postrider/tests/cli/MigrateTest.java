package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What is decided when an outbox is created, and what becomes of it afterwards. */
class MigrateTest {
    private static TestDatabase database;

    @TempDir
    private Path directory;

    private Operator operator;

    @BeforeAll
    static void start() {
        database = TestDatabase.empty();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void begin() {
        database.execute("drop schema public cascade; create schema public");
        operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", DevPostgres.shared().user())
                .variable("POSTRIDER_DB_PASSWORD", DevPostgres.shared().password());
    }

    @Test
    void newOutboxIsALogOfFourShardsUnlessSaidOtherwise() {
        assertThat(operator.run("migrate")).isZero();

        assertThat(operator.out().lines())
                .containsExactly("Outbox outbox is ready, 1 migration applied: mode log, 4 shards, delivery"
                        + " at-least-once.");
        assertThat(database.one("select count(*) from outbox_cursor")).isEqualTo("4");
    }

    @Test
    void newOutboxGetsTheLayoutAskedFor() {
        assertThat(operator.run("migrate", "--shards", "3", "--delivery", "exactly-once", "--json"))
                .isZero();

        JsonNode json = operator.json();
        assertThat(json.path("applied").asInt()).isEqualTo(1);
        assertThat(json.path("mode").asString()).isEqualTo("log");
        assertThat(json.path("shards").asInt()).isEqualTo(3);
        assertThat(json.path("delivery").asString()).isEqualTo("exactly-once");
        assertThat(json.path("notAsAsked").isEmpty()).isTrue();
        assertThat(database.column("select value from outbox_settings where name in ('mode', 'shards', 'delivery')"
                        + " order by name"))
                .containsExactly("exactly-once", "log", "3");
    }

    @Test
    void publicationOfTheStreamIsMadeAndDroppedWhenAskedFor() {
        assertThat(operator.run("migrate", "--wal")).isZero();
        assertThat(operator.out()).endsWith("Its publication is made." + System.lineSeparator());
        assertThat(database.one("select pubname from pg_publication")).isEqualTo("postrider_public_outbox");

        assertThat(operator.run("migrate", "--wal", "--json")).isZero();
        assertThat(operator.json().path("publicationChanged").asBoolean(true)).isFalse();
        assertThat(operator.run("migrate", "--no-wal", "--wal")).isEqualTo(2);

        assertThat(operator.run("migrate", "--no-wal")).isZero();
        assertThat(database.column("select pubname from pg_publication")).isEmpty();
    }

    @Test
    void doctorTriesTheRoleThatReadsTheStreamAndStatusTellsWhatItLacks() {
        operator.run("migrate");
        database.execute("drop role if exists no_bell");
        database.execute("create role no_bell login password 'silent'");

        operator.variable("POSTRIDER_DB_REPLICATION_USER", "no_bell")
                .variable("POSTRIDER_DB_REPLICATION_PASSWORD", "silent")
                .run("doctor");
        String findings = operator.out();
        operator.run("status");
        database.execute("drop role no_bell");

        assertThat(findings)
                .contains("The replication connection cannot be opened")
                .contains("migrate --wal");
        assertThat(operator.out())
                .contains("Relays are not woken by the replication stream")
                .contains("migrate --wal")
                .doesNotContain("silent");
    }

    @Test
    void outboxThatIsThereKeepsItsLayoutAndTheOutputSaysSo() {
        operator.run("migrate", "--mode", "claim");

        assertThat(operator.run("migrate", "--mode", "log", "--shards", "8")).isZero();

        assertThat(operator.out().lines())
                .containsExactly(
                        "Outbox outbox is up to date: mode claim, delivery at-least-once.",
                        "It existed already and stays as it is; these options were ignored: --mode log, --shards 8. To change"
                                + " it: postrider alter");
        assertThat(operator.run("migrate", "--delivery", "exactly-once", "--json"))
                .isZero();
        assertThat(operator.json().path("mode").asString()).isEqualTo("claim");
        assertThat(operator.json().path("notAsAsked").valueStream().map(JsonNode::asString))
                .containsExactly("--delivery exactly-once");
        assertThat(database.one("select value from outbox_settings where name = 'mode'"))
                .isEqualTo("claim");
    }

    @Test
    void whoAsksForNothingIsNotToldThatTheOutboxIsOtherwise() {
        operator.run("migrate", "--mode", "claim");

        assertThat(operator.run("migrate")).isZero();

        assertThat(operator.out().lines())
                .containsExactly("Outbox outbox is up to date: mode claim, delivery at-least-once.");
    }
}
