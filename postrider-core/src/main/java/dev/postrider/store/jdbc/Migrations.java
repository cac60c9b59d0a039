package dev.postrider.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;

/**
 * Creates and updates an outbox's tables: with Flyway under a history table of its own, so that the
 * application's migrations are never touched, or as a script for those who run SQL by hand.
 */
public final class Migrations {
    private static final String SCHEMAS = "dev/postrider/schema/";

    /** In order; a new migration is added here and as a file of each family. */
    private static final List<String> FILES = List.of("V1__outbox.sql");

    private Migrations() {}

    /**
     * @param layout of a new outbox; one that is there keeps what it has
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout) {
        DatabaseFamily family = family(dataSource, table);
        family.require(layout);
        try {
            int applied = files(family, table).migrate(dataSource, table);
            layOut(dataSource, family, table, layout);
            return applied;
        } catch (FlywayException | SQLException e) {
            throw new PostriderException(
                    "The tables of outbox " + table + " cannot be created or updated: " + SchemaFiles.firstLine(e), e);
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

    /** Once, whoever comes first. */
    private static void layOut(DataSource dataSource, DatabaseFamily family, OutboxTable table, OutboxLayout layout)
            throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                lock(connection, family, table);
                boolean done;
                try (ResultSet row = statement.executeQuery(forTable(family, table, LAID_OUT))) {
                    row.next();
                    done = row.getBoolean(1);
                }
                if (!done) {
                    statement.execute(create(family, table, layout));
                }
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void lock(Connection connection, DatabaseFamily family, OutboxTable table) throws SQLException {
        if (family == DatabaseFamily.MYSQL) {
            new MySqlAdminDialect(new MySqlAdminSql(table)).beginChange(connection);
            return;
        }
        try (PreparedStatement lock = connection.prepareStatement(PostgresAdminSql.WAIT_FOR_OPERATORS)) {
            lock.setString(1, table.toString());
            lock.execute();
        }
    }

    private static String create(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        return family == DatabaseFamily.MYSQL
                ? MySqlSql.forTable(table, MySqlSql.LAYOUT)
                : PostgresLayoutSql.create(table, layout);
    }

    private static String forTable(DatabaseFamily family, OutboxTable table, String statement) {
        return family == DatabaseFamily.MYSQL
                ? MySqlSql.forTable(table, statement)
                : PostgresSql.forTable(table, statement);
    }

    private static final String LAID_OUT = "select exists (select 1 from {settings} where name = 'mode')";

    /** All migrations of a new outbox as one script. */
    public static String script(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        family.require(layout);
        return files(family, table).script() + '\n' + create(family, table, layout);
    }

    /** The versions of all migrations, in order, as the history table has them. */
    public static List<String> versions() {
        return FILES.stream().map(file -> file.substring(1, file.indexOf("__"))).toList();
    }

    private static SchemaFiles files(DatabaseFamily family, OutboxTable table) {
        String location = SCHEMAS + family.name().toLowerCase(Locale.ROOT);
        return new SchemaFiles(location, FILES, placeholders(family, table));
    }

    private static Map<String, String> placeholders(DatabaseFamily family, OutboxTable table) {
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
        names.replaceAll((placeholder, name) -> forTable(family, table, name));
        if (family == DatabaseFamily.MYSQL) {
            names.put("lock_table", LockSlots.tableOf(table));
        }
        names.put("name", table.name());
        return names;
    }
}
