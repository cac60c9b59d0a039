package dev.postrider.store.jdbc;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Creates and updates an outbox's tables: with Flyway under a history table of its own, so that the
 * application's migrations are never touched, or as a script for those who run SQL by hand.
 */
public final class Migrations {
    private static final String LOCATION = "dev/postrider/schema/postgresql";

    /** In order; a new migration is added here and as a file. */
    private static final List<String> FILES = List.of("V1__outbox.sql");

    private Migrations() {}

    /**
     * @param layout of a new outbox; one that is there keeps what it has
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout) {
        FluentConfiguration flyway = Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(dataSource)
                .locations("classpath:" + LOCATION)
                .table(table.name() + "_schema_history")
                .placeholders(placeholders(table))
                // Other tables in the schema are the application's and none of our business.
                .baselineOnMigrate(true)
                .baselineVersion("0");
        if (table.schema() != null) {
            flyway.defaultSchema(table.schema());
        }
        try {
            int applied = flyway.load().migrate().migrationsExecuted;
            layOut(dataSource, table, layout);
            return applied;
        } catch (FlywayException | SQLException e) {
            throw new PostriderException(
                    "The tables of outbox " + table + " cannot be created or updated: " + firstLine(e), e);
        }
    }

    /** Once, whoever comes first. */
    private static void layOut(DataSource dataSource, OutboxTable table, OutboxLayout layout) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement lock = connection.prepareStatement(PostgresAdminSql.WAIT_FOR_OPERATORS);
                    Statement statement = connection.createStatement()) {
                lock.setString(1, table.toString());
                lock.execute();
                boolean done;
                try (ResultSet row = statement.executeQuery(PostgresSql.forTable(table, LAID_OUT))) {
                    row.next();
                    done = row.getBoolean(1);
                }
                if (!done) {
                    statement.execute(PostgresLayoutSql.create(table, layout));
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

    private static final String LAID_OUT = "select exists (select 1 from {settings} where name = 'mode')";

    /** All migrations of a new outbox as one script. */
    public static String script(OutboxTable table, OutboxLayout layout) {
        StringBuilder script = new StringBuilder();
        for (String file : FILES) {
            String text = read(file);
            for (Map.Entry<String, String> placeholder : placeholders(table).entrySet()) {
                text = text.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
            }
            script.append(text);
        }
        return script.append('\n')
                .append(PostgresLayoutSql.create(table, layout))
                .toString();
    }

    /** The versions of all migrations, in order, as the history table has them. */
    public static List<String> versions() {
        return FILES.stream().map(file -> file.substring(1, file.indexOf("__"))).toList();
    }

    private static Map<String, String> placeholders(OutboxTable table) {
        return Map.of(
                "name", table.name(),
                "table", table.sql(),
                "lease_table", table.leaseSql(),
                "cursor_table", table.cursorSql(),
                "failed_table", table.failedSql(),
                "dead_letter_table", table.deadLetterSql(),
                "audit_table", table.auditSql(),
                "settings_table", table.settingsSql());
    }

    private static String read(String file) {
        try (InputStream in = Migrations.class.getResourceAsStream("/" + LOCATION + "/" + file)) {
            if (in == null) {
                throw new IllegalStateException(LOCATION + "/" + file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(LOCATION + "/" + file + " cannot be read", e);
        }
    }

    private static String firstLine(Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
