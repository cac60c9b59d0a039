package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.Operator;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows in claim mode that no relay looks at, in {@code status}. */
class StrangeStatusTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(TestServer.class)
    void rowsWithAStatusThatNoRelayKnowsAreNamedAndTheStatementThatIsSaidMakesThemPending(TestServer server) {
        try (TestDatabase database = TestDatabase.withOutbox(server)) {
            Operator operator = new Operator(directory)
                    .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                    .variable("POSTRIDER_DB_USER", database.user())
                    .variable("POSTRIDER_DB_PASSWORD", database.password());
            insert(database, "PENDING");
            assertThat(operator.run("status", "--json")).as(operator.err()).isZero();
            assertThat(operator.json().path("unexpectedStatus").asInt(-1)).isZero();
            database.execute("alter table outbox drop constraint outbox_known_status");
            insert(database, "NEW");
            insert(database, "LOG");

            assertThat(operator.run("status", "--json")).as(operator.err()).isZero();
            assertThat(operator.json().path("unexpectedStatus").asInt()).isEqualTo(2);
            assertThat(operator.run("status")).isZero();
            assertThat(operator.out()).contains("2 rows have a status that relays in claim mode do not look at");

            database.execute(operator.out()
                    .lines()
                    .filter(line -> line.startsWith("To send: "))
                    .findFirst()
                    .orElseThrow()
                    .substring("To send: ".length()));
            assertThat(operator.run("status", "--json")).isZero();
            assertThat(operator.json().path("unexpectedStatus").asInt()).isZero();
            assertThat(operator.json().path("counts").path("PENDING").asInt()).isEqualTo(3);
        }
    }

    private static void insert(TestDatabase database, String status) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status)"
                + " values ('acme.a.b.v1', 'a', 'a', '1', '" + status + "')");
    }
}
