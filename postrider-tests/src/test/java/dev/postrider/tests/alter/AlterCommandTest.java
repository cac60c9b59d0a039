package dev.postrider.tests.alter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code alter} and {@code adopt}. */
class AlterCommandTest {
    private final TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(4));
    private Operator operator;

    @BeforeEach
    void begin(@TempDir Path directory) {
        operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", DevPostgres.shared().user())
                .variable("POSTRIDER_DB_PASSWORD", DevPostgres.shared().password());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void alterSaysWhatItDoesAndWhatItDid() {
        insert();

        assertThat(operator.run("alter", "--mode", "claim", "--as", "ann")).isZero();

        assertThat(operator.out())
                .isEqualTo("Outbox outbox is now: claim (before: log, 4 shards, at-least-once). 1 event moved."
                        + System.lineSeparator());
        assertThat(operator.err().lines())
                .contains("postrider: begins: alter --mode claim", "postrider: relays may start again");
        assertThat(database.one(
                        "select actor || ' ' || action || ' ' || selector || ' ' || affected from outbox_audit"))
                .isEqualTo("ann alter log, 4 shards, at-least-once -> claim 1");

        assertThat(operator.run("alter", "--mode", "claim")).isZero();
        assertThat(operator.out()).contains("is as asked for: claim. Nothing was changed.");
        assertThat(operator.run("adopt", "--after", "restore")).isZero();
        assertThat(operator.out()).contains("Claim mode depends on no cluster.");
    }

    @Test
    void jsonHasBothLayouts() {
        assertThat(operator.run("alter", "--shards", "8", "--json")).isZero();
        assertThat(operator.json().path("changed").booleanValue()).isTrue();
        assertThat(operator.json().path("from").path("shards").intValue()).isEqualTo(4);
        assertThat(operator.json().path("to").path("shards").intValue()).isEqualTo(8);
        assertThat(operator.json().path("to").path("mode").stringValue()).isEqualTo("log");
    }

    @Test
    void refusalNamesTheRelaysAndWhatToDo() {
        database.execute("insert into outbox_lease (name, owner, expires_at)"
                + " values ('relay/one#1', 'one#1', clock_timestamp() + interval '1 minute')");

        assertThat(operator.run("alter", "--shards", "8")).isEqualTo(1);

        assertThat(operator.err())
                .contains("relays that are alive: one#1. Stop them and try again", "Nothing was changed.");
        assertThat(operator.run("adopt", "--after", "upgrade")).isZero();
        assertThat(operator.out()).contains("is at home already. Nothing was changed.");
    }

    @Test
    void exactlyOnceNeedsToKnowKafka() {
        database.execute("update outbox_settings set value = 'exactly-once' where name = 'delivery'");

        assertThat(operator.run("alter", "--shards", "8")).isEqualTo(2);

        assertThat(operator.err()).contains("kafka");
        assertThat(operator.run("alter", "--shards", "8", "--accept-duplicates"))
                .isZero();
        assertThat(operator.out()).contains("log, 8 shards, exactly-once");
    }

    private void insert() {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.paid.v1', 'order', '1', '{}')");
    }
}
