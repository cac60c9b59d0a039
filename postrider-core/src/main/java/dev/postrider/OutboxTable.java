package dev.postrider;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of an outbox's table, from which the names of its other tables are derived. Names are checked, since they
 * become part of SQL: lower-case letters, digits and underscores.
 *
 * @param schema database schema; null means the connection's own
 * @param name table name
 */
public record OutboxTable(@Nullable String schema, String name) {
    /** Leaves room for the suffixes of the tables and indexes beside it within 63 characters. */
    private static final int MAX_LENGTH = 40;

    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]*");

    public static final OutboxTable DEFAULT = new OutboxTable(null, "outbox");

    public OutboxTable {
        if (schema != null) {
            check(schema, "schema");
        }
        check(name, "table");
    }

    /** Reads {@code table} or {@code schema.table}. */
    public static OutboxTable parse(String text) {
        int dot = text.indexOf('.');
        return dot < 0 ? new OutboxTable(null, text) : new OutboxTable(text.substring(0, dot), text.substring(dot + 1));
    }

    /** The quoted name for SQL, with its schema if there is one. */
    public String sql() {
        return qualified("");
    }

    /** The table that says which relay is alive and which leases it holds. */
    public String leaseSql() {
        return qualified("_lease");
    }

    /** The table that says how far a log was read. */
    public String cursorSql() {
        return qualified("_cursor");
    }

    /** The table with events of a log that the cursor has passed and that are not done. */
    public String parkedSql() {
        return qualified("_parked");
    }

    /** The table with events that were given up. */
    public String deadLetterSql() {
        return qualified("_dead_letter");
    }

    /** The table that says what operators did. */
    public String auditSql() {
        return qualified("_audit");
    }

    /** The table with the outbox's layout, version and other settings. */
    public String settingsSql() {
        return qualified("_settings");
    }

    /** Notification channel on which writers tell relays in other processes about commits. */
    public String channel() {
        return "postrider_" + (schema == null ? "" : schema + "_") + name;
    }

    @Override
    public String toString() {
        return schema == null ? name : schema + "." + name;
    }

    private String qualified(String suffix) {
        String table = '"' + name + suffix + '"';
        return schema == null ? table : '"' + schema + "\"." + table;
    }

    private static void check(String identifier, String what) {
        if (!IDENTIFIER.matcher(identifier).matches() || identifier.length() > MAX_LENGTH) {
            throw new PostriderException("The " + what + " name [" + identifier + "] is not allowed: use lower-case"
                    + " letters, digits and underscores, at most " + MAX_LENGTH + " characters, not starting with a"
                    + " digit; schema and table are separated by a dot.");
        }
    }
}
