package dev.postrider.internal.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.database.Databases;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpectedSchemaTest {
    private static final OutboxTable TABLE = OutboxTable.parse("sales.order_outbox");

    private final ExpectedSchema schema = Databases.of(DatabaseFamily.POSTGRESQL)
            .outboxSchema(TABLE, OutboxLayout.claim())
            .expected();

    @Test
    void everyTableIsFoundWithItsPrimaryKey() {
        assertThat(schema.tables())
                .extracting(ExpectedSchema.Table::sql)
                .contains(TABLE.sql(), TABLE.leaseSql(), TABLE.deadLetterSql(), TABLE.auditSql(), TABLE.settingsSql());
        assertThat(schema.tables()).hasSize(count("create table"));
        assertThat(schema.tables())
                .extracting(ExpectedSchema.Table::primaryKey)
                .startsWith("id", "name")
                .doesNotContain("");
    }

    @Test
    void columnsAreFoundAndConstraintsAreNone() {
        assertThat(schema.tables().get(0).columns())
                .extracting(ExpectedSchema.Column::name)
                .startsWith("tx_id", "id", "event_id", "event_type")
                .contains("key_hash", "payload", "last_error")
                .doesNotContain("constraint", "check", "with", "set_bit");
    }

    @Test
    void everyIndexIsFoundWithAStatementThatKeepsNobodyWaiting() {
        assertThat(schema.indexes()).hasSize(count("create index") + count("create unique index"));
        assertThat(schema.indexes())
                .extracting(ExpectedSchema.Index::statement)
                .contains("create index concurrently order_outbox_held on \"sales\".\"order_outbox\" (key_hash, id)"
                        + " where status = 'HELD';")
                .anyMatch(statement -> statement.startsWith("create unique index concurrently order_outbox_request "));
    }

    @Test
    void laterMigrationsAddColumns() {
        ExpectedSchema later = ExpectedSchema.parse(Databases.of(DatabaseFamily.POSTGRESQL), """
                create table "a" (
                    x text not null, -- the first; of two
                    y integer default greatest(1, 2),
                    primary key (x, y)
                );
                alter table "a" add column z text;
                """);

        assertThat(later.tables())
                .containsExactly(new ExpectedSchema.Table(
                        "\"a\"",
                        "x, y",
                        List.of(
                                new ExpectedSchema.Column("x", "text"),
                                new ExpectedSchema.Column("y", "integer"),
                                new ExpectedSchema.Column("z", "text"))));
    }

    @Test
    void otherFamilyIsUnderstoodAsWell() {
        ExpectedSchema other = Databases.of(DatabaseFamily.MYSQL)
                .outboxSchema(TABLE, OutboxLayout.claim())
                .expected();

        assertThat(other.tables())
                .extracting(ExpectedSchema.Table::sql)
                .startsWith("`sales`.`order_outbox_settings`")
                .endsWith("`sales`.`order_outbox`")
                .hasSize(6);
        assertThat(other.tables()).extracting(ExpectedSchema.Table::primaryKey).doesNotContain("");
        assertThat(other.tables().get(5).columns())
                .extracting(ExpectedSchema.Column::name)
                .startsWith("id", "event_id", "event_type")
                .contains("open_key", "held_key")
                .doesNotContain("constraint", "or");
        assertThat(other.indexes())
                .extracting(ExpectedSchema.Index::statement)
                .contains("create index order_outbox_held on `sales`.`order_outbox` (held_key, id);");
    }

    private static int count(String words) {
        return OutboxSchema.script(DatabaseFamily.POSTGRESQL, TABLE, OutboxLayout.claim())
                        .split(words, -1)
                        .length
                - 1;
    }
}
