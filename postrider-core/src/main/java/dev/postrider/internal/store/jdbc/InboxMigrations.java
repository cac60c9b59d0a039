package dev.postrider.internal.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;

/** Creates and updates an inbox's tables. */
public final class InboxMigrations {
    private static final List<String> FILES = List.of("V1__inbox.sql");

    private InboxMigrations() {}

    /**
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, OutboxTable table) {
        return Migrations.migrate(dataSource, schema(Migrations.family(dataSource, table), table));
    }

    /** All migrations of a new inbox as one script. */
    public static String script(DatabaseFamily family, OutboxTable table) {
        return schema(family, table).script();
    }

    private static Schema schema(DatabaseFamily family, OutboxTable table) {
        Map<String, String> names = family == DatabaseFamily.MYSQL
                ? Map.of(
                        "name",
                        table.name(),
                        "table",
                        MySqlSql.quoted(table.sql()),
                        "settings_table",
                        MySqlSql.quoted(table.settingsSql()),
                        "lock_table",
                        LockSlots.tableOf(table))
                : Map.of("name", table.name(), "table", table.sql(), "settings_table", table.settingsSql());
        String location = "dev/postrider/inbox/" + family.name().toLowerCase(Locale.ROOT);
        String completion = family == DatabaseFamily.MYSQL ? ON_MYSQL : ON_POSTGRES;
        return new Schema(
                "inbox",
                "postrider migrate --inbox" + (table.toString().equals("inbox") ? "" : " " + table),
                family,
                table,
                new SchemaFiles(location, FILES, names),
                completion
                        .replace("{settings}", names.get("settings_table"))
                        .replace("{schema_version}", String.valueOf(FILES.size())));
    }

    private static final String ON_POSTGRES = """
            insert into {settings} (name, value) values ('schema_version', '{schema_version}');
            """;

    private static final String ON_MYSQL = """
            replace into {settings} (name, value) values ('schema_version', '{schema_version}');
            """;
}
