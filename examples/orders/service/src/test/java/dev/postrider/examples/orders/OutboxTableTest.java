package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.examples.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The table by itself, filled with what a few busy days leave behind; no service runs. */
class OutboxTableTest {
    private static SingleConnectionDataSource connection;
    private static JdbcClient jdbc;

    @BeforeAll
    static void fill() {
        String url = Servers.migratedDatabase("outbox_table");
        connection = new SingleConnectionDataSource(url, Servers.POSTGRES.user(), Servers.POSTGRES.password(), false);
        jdbc = JdbcClient.create(connection);
        jdbc.sql("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at, published_at, last_error)
                select 'shop.order.placed', 'order', 'order-' || n / 4, '{}',
                       case n % 400 when 1 then 'PENDING' when 2 then 'FAILED' when 3 then 'DEAD_LETTER' else 'PUBLISHED' end,
                       now() - n * interval '1 second', now(), 'why'
                from generate_series(1, 20000) as n
                """).update();
        jdbc.sql("analyze outbox").update();
    }

    @AfterAll
    static void close() {
        connection.destroy();
    }

    @ParameterizedTest
    @CsvSource({"PENDING, NEW", "FAILED, NEW", "PUBLISHED, SENT", "DEAD_LETTER, FAILED"})
    @Requirement("O1")
    void viewHasTheStatesOfThisSystem(String state, String word) {
        assertThat(jdbc.sql("""
                        select distinct ours.status from outbox join order_outbox as ours on ours.id = outbox.event_id
                        where outbox.status = ?
                        """).param(state).query(String.class).list()).containsExactly(word);
    }

    /** With these words, and with whatever the parameter of a prepared statement may turn out to be. */
    @ParameterizedTest
    @CsvSource({"NEW, force_custom_plan", "FAILED, force_custom_plan", "NEW, force_generic_plan"})
    @Requirement("O1")
    void eventsOfAStateInTheOrderOfTheirTimeAreFoundByAnIndex(String status, String planning) {
        jdbc.sql("set plan_cache_mode = " + planning).update();
        String limit = planning.equals("force_generic_plan") ? " limit 10" : "";

        assertThat(planOf("select * from order_outbox where status = $1 order by created_at" + limit, status))
                .contains("Index Scan using outbox_in_our_words")
                .doesNotContain("Seq Scan", "Sort");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order_outbox", "outbox"})
    @Requirement("O1")
    void eventsOfAnOrderAreFoundByAnIndex(String from) {
        assertThat(planOf("select * from " + from + " where aggregate_id = $1", "order-7"))
                .contains("outbox_aggregate")
                .doesNotContain("Seq Scan");
    }

    private static String planOf(String query, String value) {
        jdbc.sql("prepare plain (text) as " + query).update();
        try {
            return String.join(
                    "\n",
                    jdbc.sql("explain execute plain ('" + value + "')")
                            .query(String.class)
                            .list());
        } finally {
            jdbc.sql("deallocate plain").update();
        }
    }

    /** If this fails, Postrider's table has changed: see docs/upgrading.md for the next migration. */
    @Test
    void migrationIsWhatPostriderPrints() throws IOException {
        assertThat(new ClassPathResource("db/migration/V2__outbox.sql").getContentAsString(StandardCharsets.UTF_8))
                .isEqualTo(OutboxSchema.script(DatabaseFamily.POSTGRESQL, OutboxTable.DEFAULT, OutboxLayout.claim()));
    }
}
