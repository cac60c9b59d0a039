package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.examples.Requirement;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table by itself, filled with what a few busy days leave behind; no relay runs. */
class OutboxTableTest {
    private static final Database DATABASE = Database.create("outbox_table");

    @BeforeAll
    static void fill() {
        DATABASE.run("""
                insert into outbox_events (event_type, aggregate_type, aggregate_id, payload, status, attempts)
                select 'logistics.order.placed', 'order', 'order-' || n / 4, '{}',
                       case n % 400 when 1 then 'PENDING' when 2 then 'SENDING' when 3 then 'FAILED' when 4 then 'DEAD_LETTER'
                       else 'PUBLISHED' end, case n % 400 when 3 then 2 else 0 end
                from generate_series(1, 20000) as n
                """);
        DATABASE.run("analyze outbox_events");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox_events", "order_event_status"})
    @Requirement("L7")
    void historyOfAnAggregateIsFoundByAnIndex(String from) throws SQLException {
        try (Connection connection = DATABASE.dataSource().getConnection()) {
            Database.run(
                    connection,
                    "prepare history (text, text) as select * from " + from
                            + " where aggregate_type = $1 and aggregate_id = $2");
            String plan = String.join("\n", Database.list(connection, "explain execute history ('order', 'order-7')"));

            assertThat(plan).contains("outbox_events_aggregate").doesNotContain("Seq Scan");
            assertThat(Database.list(connection, "execute history ('order', 'order-7')"))
                    .hasSize(4);
        }
    }

    /** An index with a condition on the status would not have all of an aggregate's rows. */
    @Test
    @Requirement("L7")
    void thatIndexHasEveryRowWhateverItsStatus() {
        assertThat(DATABASE.ask("""
                select indpred is null from pg_index where indexrelid = 'outbox_events_aggregate'::regclass
                """)).isEqualTo("t");
    }

    @ParameterizedTest
    @CsvSource({"PENDING, PENDING", "SENDING, PENDING", "FAILED, PENDING", "PUBLISHED, PUBLISHED", "DEAD_LETTER, FAILED"
    })
    void viewHasTheStatesOfThisSystem(String state, String word) {
        assertThat(DATABASE.list("""
                        select distinct ours.status from outbox_events as theirs
                        join order_event_status as ours on ours.message_id = theirs.event_id where theirs.status = ?
                        """, state)).containsExactly(word);
    }
}
