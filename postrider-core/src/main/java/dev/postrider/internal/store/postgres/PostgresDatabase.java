package dev.postrider.internal.store.postgres;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.AdminSql;
import dev.postrider.internal.store.jdbc.Catalogue;
import dev.postrider.internal.store.jdbc.ClaimRestore;
import dev.postrider.internal.store.jdbc.CommonAdminSql;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.InboxTables;
import dev.postrider.internal.store.jdbc.JdbcAdminStore;
import dev.postrider.internal.store.jdbc.OutboxTables;
import dev.postrider.internal.store.jdbc.SavedEvents;
import dev.postrider.internal.store.jdbc.Schema;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.jdbc.WalStream;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.postgres.wal.PostgresWalStream;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** PostgreSQL 13 or newer. */
public final class PostgresDatabase implements Database {
    private static final String SCRIPTS = "postgresql";

    private static final Map<String, String> TABLES = Map.of(
            "table", "{outbox}",
            "lease_table", "{lease}",
            "dead_letter_table", "{dead_letter}",
            "audit_table", "{audit}",
            "settings_table", "{settings}",
            "cursor_table", "{cursor}",
            "parked_table", "{parked}");

    private static final String COMPLETE_INBOX = """
            insert into {settings} (name, value) values ('schema_version', '{schema_version}');
            """;

    @Override
    public OutboxStore outboxStore(OutboxTable table, ContentHash hash) {
        return new PostgresStore(table, hash);
    }

    @Override
    public LogStore logStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        return new PostgresLogStore(table, layout.shards(), hash);
    }

    @Override
    public AdminStore adminStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        if (layout.mode() == OutboxMode.LOG) {
            PostgresLogAdminSql sql = new PostgresLogAdminSql(table, layout.shards());
            JdbcAdminStore.Parts parts = adminParts(table, sql, sql);
            return new JdbcAdminStore(parts, new LogRestore(sql, parts.saved()), hash);
        }
        PostgresClaimAdminSql sql = new PostgresClaimAdminSql(table);
        JdbcAdminStore.Parts parts = adminParts(table, sql, sql);
        return new JdbcAdminStore(parts, new ClaimRestore(sql.findEvent, sql.bringBack, parts.saved()), hash);
    }

    private static JdbcAdminStore.Parts adminParts(
            OutboxTable table, AdminSql sql, PostgresAdminDialect.ChangeSql changes) {
        CommonAdminSql common = PostgresAdminSql.of(table);
        String insertLine = PostgresAdminSql.insertLine(table);
        SavedEvents saved = new SavedEvents(common, (connection, event) -> {
            try (PreparedStatement insert = connection.prepareStatement(insertLine)) {
                insert.setString(1, event.json());
                return insert.executeUpdate() == 1;
            }
        });
        return new JdbcAdminStore.Parts(sql, common, new PostgresAdminDialect(table, changes), saved);
    }

    @Override
    public AlterStore alterStore(OutboxTable table) {
        return new PostgresAlterStore(table);
    }

    @Override
    public WalStream walStream(OutboxTable table) {
        return new PostgresWalStream(table, outboxStore(table));
    }

    @Override
    public InboxStore inboxStore(OutboxTable table) {
        return new PostgresInboxStore(table);
    }

    @Override
    public void requireOwnSession(Connection connection, Pooling pooling) throws SQLException {
        if (pooling != Pooling.SESSION) {
            OwnSession.require(connection);
        }
    }

    @Override
    public OutboxLayout standardLayout() {
        return DatabaseFamily.POSTGRESQL.standardLayout();
    }

    @Override
    public Schema outboxSchema(OutboxTable table, OutboxLayout layout) {
        DatabaseFamily.POSTGRESQL.require(layout);
        Map<String, String> tables = new HashMap<>(TABLES);
        tables.replaceAll((placeholder, name) -> PostgresSql.forTable(table, name));
        return OutboxTables.of(this, SCRIPTS, table, layout, tables, PostgresLayoutSql.create(table, layout));
    }

    @Override
    public Schema inboxSchema(OutboxTable table) {
        Map<String, String> tables = Map.of("table", table.sql(), "settings_table", table.settingsSql());
        return InboxTables.of(this, SCRIPTS, table, tables, COMPLETE_INBOX);
    }

    @Override
    public int migrate(Connection connection, Schema schema) throws SQLException {
        return PostgresMigration.run(connection, schema);
    }

    @Override
    public Catalogue catalogue() {
        return new PostgresCatalogue();
    }

    @Override
    public String createIndex(String statement) {
        return statement.replaceFirst("^create (unique )?index ", "create $1index concurrently ") + ";";
    }

    @Override
    public String quoted(String sql) {
        return sql;
    }

    @Override
    public Times times() {
        return Times.ABSOLUTE;
    }
}
