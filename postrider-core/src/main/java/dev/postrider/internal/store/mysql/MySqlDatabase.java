package dev.postrider.internal.store.mysql;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.Catalogue;
import dev.postrider.internal.store.jdbc.ClaimRestore;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.InboxTables;
import dev.postrider.internal.store.jdbc.JdbcAdminStore;
import dev.postrider.internal.store.jdbc.OutboxTables;
import dev.postrider.internal.store.jdbc.SavedEvents;
import dev.postrider.internal.store.jdbc.Schema;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** MariaDB 10.6 or newer, MySQL 8.0.19 or newer. Claim mode only. */
public final class MySqlDatabase implements Database {
    private static final String SCRIPTS = "mysql";

    private static final Map<String, String> TABLES = Map.of(
            "table", "{outbox}",
            "lease_table", "{lease}",
            "dead_letter_table", "{dead_letter}",
            "audit_table", "{audit}",
            "settings_table", "{settings}");

    private static final String COMPLETE_INBOX = """
            replace into {settings} (name, value) values ('schema_version', '{schema_version}');
            """;

    @Override
    public OutboxStore outboxStore(OutboxTable table, ContentHash hash) {
        return new MySqlStore(table, hash);
    }

    @Override
    public LogStore logStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        throw new PostriderException("Outbox " + table
                + " is on MariaDB or MySQL, where there is claim mode only: it cannot be read as a log.");
    }

    @Override
    public AdminStore adminStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        MySqlAdminSql sql = new MySqlAdminSql(table);
        SavedEvents saved = new SavedEvents(sql.common, new MySqlLineInsert(sql));
        JdbcAdminStore.Parts parts = new JdbcAdminStore.Parts(sql, sql.common, new MySqlAdminDialect(sql), saved);
        return new JdbcAdminStore(parts, new ClaimRestore(sql.findEvent, sql.bringBack, saved), hash);
    }

    @Override
    public AlterStore alterStore(OutboxTable table) {
        throw new PostriderException("Outbox " + table + " is on MariaDB or MySQL, where there is claim mode only:"
                + " there is nothing to change.");
    }

    @Override
    public boolean hasNotifications() {
        return false;
    }

    @Override
    public InboxStore inboxStore(OutboxTable table) {
        return new MySqlInboxStore(table);
    }

    /** Poolers are not looked for here. */
    @Override
    public void requireOwnSession(Connection connection, Pooling pooling) {}

    @Override
    public OutboxLayout standardLayout() {
        return DatabaseFamily.MYSQL.standardLayout();
    }

    @Override
    public Schema outboxSchema(OutboxTable table, OutboxLayout layout) {
        DatabaseFamily.MYSQL.require(layout);
        Map<String, String> tables = new HashMap<>(TABLES);
        tables.replaceAll((placeholder, name) -> MySqlSql.forTable(table, name));
        tables.put("lock_table", LockSlots.tableOf(table));
        return OutboxTables.of(this, SCRIPTS, table, layout, tables, MySqlSql.forTable(table, MySqlSql.LAYOUT));
    }

    @Override
    public Schema inboxSchema(OutboxTable table) {
        Map<String, String> tables = Map.of(
                "table", quoted(table.sql()),
                "settings_table", quoted(table.settingsSql()),
                "lock_table", LockSlots.tableOf(table));
        return InboxTables.of(this, SCRIPTS, table, tables, COMPLETE_INBOX);
    }

    @Override
    public int migrate(Connection connection, Schema schema) throws SQLException {
        return MySqlMigration.run(connection, schema);
    }

    @Override
    public Catalogue catalogue() {
        return new MySqlCatalogue();
    }

    @Override
    public String createIndex(String statement) {
        return statement + ";";
    }

    @Override
    public String quoted(String sql) {
        return MySqlSql.quoted(sql);
    }

    @Override
    public Times times() {
        return Times.IN_UTC;
    }
}
