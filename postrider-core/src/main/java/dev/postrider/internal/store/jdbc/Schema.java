package dev.postrider.internal.store.jdbc;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import java.util.List;

/**
 * The tables of one outbox or inbox, and how they come about.
 *
 * @param kind what they make up, for sentences
 * @param command that makes them
 * @param table the first of them, after which the others are called
 * @param files the scripts of all versions
 * @param completion what a new one needs after its scripts: the version of its tables in the settings, last of all
 */
record Schema(
        String kind, String command, DatabaseFamily family, OutboxTable table, SchemaFiles files, String completion) {
    static final String VERSION = "schema_version";

    /** That of PostgreSQL, by whom layouts are changed, tables migrated and dead letters handled. */
    String lockName() {
        return "postrider operators of " + table;
    }

    String settings() {
        return quoted(table.settingsSql());
    }

    /** For those who run SQL by hand. */
    String script() {
        return files.script(0, files.version()) + '\n' + completion;
    }

    /**
     * @param version 0 if there is nothing yet
     */
    List<String> statementsAfter(int version) {
        String last = version == 0
                ? completion
                : "update " + settings() + " set value = '" + files.version() + "' where name = '" + VERSION + "';";
        return SqlScript.statements(files.script(version, files.version()) + last);
    }

    List<ExpectedSchema.Table> tables(int version) {
        return ExpectedSchema.parse(family, files.script(0, version)).tables();
    }

    @Override
    public String toString() {
        return kind + " " + table;
    }

    private String quoted(String name) {
        return family == DatabaseFamily.MYSQL ? MySqlSql.quoted(name) : name;
    }
}
