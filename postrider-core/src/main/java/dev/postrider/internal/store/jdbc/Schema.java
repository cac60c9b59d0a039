package dev.postrider.internal.store.jdbc;

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
public record Schema(
        String kind, String command, Database database, OutboxTable table, SchemaFiles files, String completion) {
    static final String VERSION = "schema_version";

    String settings() {
        return database.quoted(table.settingsSql());
    }

    /** For those who run SQL by hand. */
    public String script() {
        return files.script(0, files.version()) + '\n' + completion;
    }

    /**
     * @param version 0 if there is nothing yet
     */
    public List<String> statementsAfter(int version) {
        String last = version == 0
                ? completion
                : "update " + settings() + " set value = '" + files.version() + "' where name = '" + VERSION + "';";
        return SqlScript.statements(files.script(version, files.version()) + last);
    }

    List<ExpectedSchema.Table> tables(int version) {
        return ExpectedSchema.parse(database, files.script(0, version)).tables();
    }

    /** What there is to be when all was done. */
    public ExpectedSchema expected() {
        return ExpectedSchema.parse(database, script());
    }

    @Override
    public String toString() {
        return kind + " " + table;
    }
}
