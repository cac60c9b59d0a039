package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The doctor and other commands on MariaDB. */
class DoctorMariaDbTest {
    @TempDir
    private Path directory;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.withOutbox(TestServer.MARIADB);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void freshlyMigratedOutboxIsHealthy() {
        Visit visit = visit().assertHealthy();

        assertThat(visit.only("database.version").finding()).contains("MariaDB");
        assertThat(visit.only("outbox.migrations").finding()).isEqualTo("The tables have version 1, as they should.");
        assertThat(visit.findings())
                .extracting(Visit.Said::check)
                .contains("database.durability", "database.ids", "outbox.indexes", "outbox.unsent");
    }

    @Test
    void missingIndexIsNamedWithTheStatementThatMakesIt() {
        database.execute("drop index outbox_due on outbox");

        Visit.Said said = visit().of("outbox.indexes").get(0);

        assertThat(said.finding()).contains("outbox_due");
        database.execute(said.fix().replace(";", ""));
        visit().assertHealthy();
    }

    @Test
    void severalPrimariesAndLazyFlushesAreComplaints() {
        database.execute("set global auto_increment_increment = 2, innodb_flush_log_at_trx_commit = 2");
        try {
            Visit visit = visit();
            assertThat(visit.only("database.ids").severity()).isEqualTo("ERROR");
            assertThat(visit.only("database.durability").finding()).contains("innodb_flush_log_at_trx_commit is 2");
        } finally {
            database.execute("set global auto_increment_increment = 1, innodb_flush_log_at_trx_commit = 1");
        }
    }

    @Test
    void commandsWorkAsTheyDoElsewhere() {
        Operator operator = new Operator(directory);
        environment().forEach(operator::variable);
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', 'a', '1')");

        assertThat(operator.run("migrate")).as(operator.err()).isZero();
        assertThat(operator.out()).contains("up to date", "mode claim");
        assertThat(operator.run("migrate", "--print")).isZero();
        assertThat(operator.out()).contains("create table `outbox`");
        assertThat(operator.run("status", "--json")).as(operator.err()).isZero();
        assertThat(operator.out()).contains("claim");
        assertThat(operator.run("dead", "list")).as(operator.err()).isZero();
        assertThat(operator.run("audit")).as(operator.err()).isZero();
        assertThat(operator.run("migrate", "--mode", "log")).isNotZero();
        assertThat(operator.err()).contains("--mode log needs PostgreSQL");
        assertThat(operator.run("alter", "--mode", "log", "--as", "me")).isNotZero();
        assertThat(operator.err()).contains("claim mode only");
    }

    private Visit visit() {
        return Visit.of(Limits.STANDARD, environment());
    }

    private Map<String, String> environment() {
        return Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", database.user(),
                "POSTRIDER_DB_PASSWORD", database.password());
    }
}
