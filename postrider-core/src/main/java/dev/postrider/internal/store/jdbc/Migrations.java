package dev.postrider.internal.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;

/** Creates and updates an outbox's tables, or prints the script for those who run SQL by hand. */
public final class Migrations {
    private static final String SCHEMAS = "dev/postrider/schema/";

    /** In order; a new migration is added here and as a file of each family. */
    private static final List<String> FILES = List.of("V1__outbox.sql");

    /** Of the tables that this Postrider makes. */
    public static final int VERSION = FILES.size();

    private Migrations() {}

    /**
     * @param layout of a new outbox; one that is there keeps what it has
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout) {
        DatabaseFamily family = family(dataSource, table);
        family.require(layout);
        return migrate(dataSource, schema(family, table, layout));
    }

    static int migrate(DataSource dataSource, Schema schema) {
        try (Connection connection = dataSource.getConnection()) {
            if (new SchemaState(schema, connection).isCurrent()) {
                return 0;
            }
            return switch (schema.family()) {
                case POSTGRESQL -> PostgresMigration.run(connection, schema);
                case MYSQL -> MySqlMigration.run(connection, schema);
            };
        } catch (SQLException e) {
            throw new PostriderException(
                    "The tables of " + schema + " cannot be created or updated: " + firstLine(e) + " Run '"
                            + schema.command() + "' again when that is mended.",
                    e);
        }
    }

    /** Of a connection that may be lost: what went wrong before is what has to be told. */
    static void restore(Connection connection, boolean autoCommit) {
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            // It is of no use to anybody any more, and whoever owns it will notice.
        }
    }

    /** The family of a database that is to have an outbox. */
    public static DatabaseFamily family(DataSource dataSource, OutboxTable table) {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseFamily.of(connection);
        } catch (SQLException e) {
            throw JdbcStores.explain(e, table);
        }
    }

    /** All migrations of a new outbox as one script. */
    public static String script(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        family.require(layout);
        return schema(family, table, layout).script();
    }

    private static Schema schema(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        String location = SCHEMAS + family.name().toLowerCase(Locale.ROOT);
        SchemaFiles files = new SchemaFiles(location, FILES, placeholders(family, table, layout));
        String completion = family == DatabaseFamily.MYSQL
                ? MySqlSql.forTable(table, MySqlSql.LAYOUT)
                : PostgresLayoutSql.create(table, layout);
        return new Schema(
                "outbox",
                "postrider migrate",
                family,
                table,
                files,
                completion.replace("{schema_version}", String.valueOf(VERSION)));
    }

    private static Map<String, String> placeholders(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        Map<String, String> names = new HashMap<>();
        names.put("table", "{outbox}");
        names.put("lease_table", "{lease}");
        names.put("dead_letter_table", "{dead_letter}");
        names.put("audit_table", "{audit}");
        names.put("settings_table", "{settings}");
        if (family == DatabaseFamily.POSTGRESQL) {
            names.put("cursor_table", "{cursor}");
            names.put("parked_table", "{parked}");
        }
        names.replaceAll((placeholder, name) ->
                family == DatabaseFamily.MYSQL ? MySqlSql.forTable(table, name) : PostgresSql.forTable(table, name));
        if (family == DatabaseFamily.MYSQL) {
            names.put("lock_table", LockSlots.tableOf(table));
        }
        names.put("name", table.name());
        names.put("new_status", layout.mode() == OutboxMode.LOG ? "LOG" : "PENDING");
        return names;
    }

    /** As a sentence. */
    private static String firstLine(SQLException e) {
        String line =
                String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
        return line.endsWith(".") ? line : line + ".";
    }
}
