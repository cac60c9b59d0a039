package dev.postrider.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;

/** Creates and updates an inbox's tables. */
public final class InboxMigrations {
    private InboxMigrations() {}

    /**
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, OutboxTable table) {
        DatabaseFamily family = Migrations.family(dataSource, table);
        try {
            return files(family, table).migrate(dataSource, table);
        } catch (FlywayException e) {
            throw new PostriderException(
                    "The tables of inbox " + table + " cannot be created or updated: " + SchemaFiles.firstLine(e), e);
        }
    }

    /** All migrations of a new inbox as one script. */
    public static String script(DatabaseFamily family, OutboxTable table) {
        return files(family, table).script();
    }

    private static SchemaFiles files(DatabaseFamily family, OutboxTable table) {
        Map<String, String> names = family == DatabaseFamily.MYSQL
                ? Map.of(
                        "name",
                        table.name(),
                        "table",
                        MySqlSql.quoted(table.sql()),
                        "lock_table",
                        LockSlots.tableOf(table))
                : Map.of("name", table.name(), "table", table.sql());
        String location = "dev/postrider/inbox/" + family.name().toLowerCase(Locale.ROOT);
        return new SchemaFiles(location, List.of("V1__inbox.sql"), names);
    }
}
