package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.examples.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
class TransferEventsTableTest {
    private static SingleConnectionDataSource connection;
    private static JdbcClient jdbc;

    @BeforeAll
    static void fill() {
        connection = new SingleConnectionDataSource(
                Servers.database("table_alone"), Servers.POSTGRES.user(), Servers.POSTGRES.password(), false);
        jdbc = JdbcClient.create(connection);
        jdbc.sql("""
                insert into transfer_events (event_type, aggregate_type, aggregate_id, payload, status, blocked_by, created_at, next_attempt_at)
                select 'TransferCompleted', 'Transfer', 'transfer-' || n, '{}', s.status,
                       case when s.status = 'BLOCKED' then 'transfers' end,
                       now() - n * interval '1 second', now() - (n % 20) * interval '1 second'
                from generate_series(1, 20000) as n
                cross join lateral (select case n % 400 when 1 then 'PENDING' when 2 then 'FAILED' when 3 then 'DEAD_LETTER'
                    when 4 then 'SENDING' when 5 then 'HELD' when 6 then 'BLOCKED' else 'PUBLISHED' end as status) as s
                """).update();
        jdbc.sql("analyze transfer_events").update();
    }

    @AfterAll
    static void close() {
        connection.destroy();
    }

    @Test
    @Requirement("T5")
    void rowHasAllThatTheSystemAsksFor() {
        assertThat(columnsOf("transfer_outbox"))
                .contains(
                        "id bigint",
                        "aggregate_type text",
                        "aggregate_id text",
                        "event_type text",
                        "payload json",
                        "headers json",
                        "status text",
                        "attempt_count integer",
                        "next_retry_at timestamp with time zone",
                        "created_at timestamp with time zone",
                        "updated_at timestamp with time zone",
                        "published_at timestamp with time zone",
                        "last_error text");
        assertThat(jdbc.sql(
                                "select is_identity from information_schema.columns where table_name = 'transfer_events' and column_name = 'id'")
                        .query(String.class)
                        .single())
                .describedAs("an id that the database makes, each larger than the one before")
                .isEqualTo("YES");
    }

    private static List<String> columnsOf(String table) {
        return jdbc.sql("select column_name || ' ' || data_type from information_schema.columns where table_name = ?")
                .param(table)
                .query(String.class)
                .list();
    }

    @ParameterizedTest
    @CsvSource({
        "PENDING, PENDING",
        "HELD, PENDING",
        "BLOCKED, PENDING",
        "SENDING, SENDING",
        "FAILED, FAILED",
        "PUBLISHED, PUBLISHED",
        "DEAD_LETTER, DEAD_LETTER"
    })
    @Requirement("T4")
    void viewHasTheStatesOfThisSystem(String state, String word) {
        assertThat(jdbc.sql("""
                        select distinct ours.status from transfer_events join transfer_outbox as ours using (id)
                        where transfer_events.status = ?
                        """).param(state).query(String.class).list()).containsExactly(word);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PENDING", "FAILED"})
    @Requirement("T5")
    void whatIsStillToBeSentAndWhenIsFoundByAPartialIndex(String status) {
        String plan = String.join(
                "\n",
                jdbc.sql("explain select * from transfer_outbox where status = '" + status
                                + "' and next_retry_at <= now() - interval '15 seconds'")
                        .query(String.class)
                        .list());

        assertThat(plan)
                .contains("transfer_events_to_send")
                .containsPattern("Index Cond: .*next_attempt_at <=")
                .doesNotContain("Seq Scan");
        assertThat(jdbc.sql(
                                "select pg_get_expr(indpred, indrelid) from pg_index where indexrelid = 'transfer_events_to_send'::regclass")
                        .query(String.class)
                        .single())
                .describedAs("has only rows still to send")
                .contains("PENDING", "FAILED");
    }

    /** If this fails, Postrider's table has changed: see docs/upgrading.md for the next migration. */
    @Test
    void migrationIsWhatPostriderPrints() throws IOException {
        assertThat(new ClassPathResource("db/migration/V2__transfer_events.sql")
                        .getContentAsString(StandardCharsets.UTF_8))
                .isEqualTo(OutboxSchema.script(
                        DatabaseFamily.POSTGRESQL, OutboxTable.parse("transfer_events"), OutboxLayout.claim()));
    }
}
