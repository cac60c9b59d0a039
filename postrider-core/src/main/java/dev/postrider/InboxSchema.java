package dev.postrider;

import dev.postrider.internal.store.jdbc.InboxMigrations;
import javax.sql.DataSource;

/** Creates and updates the tables of an inbox. */
public final class InboxSchema {
    /** The name of the table unless another is given. */
    public static final String TABLE = "inbox";

    private InboxSchema() {}

    public static int migrate(DataSource dataSource) {
        return migrate(dataSource, TABLE);
    }

    /**
     * Brings the tables up to date. Safe to call at every start, and by several instances at once; see {@link
     * OutboxSchema#migrate(DataSource, OutboxTable, OutboxLayout)}.
     *
     * @param table {@code table} or {@code schema.table}
     * @return how many migrations were applied; 0 if there was nothing to do
     */
    public static int migrate(DataSource dataSource, String table) {
        return InboxMigrations.migrate(dataSource, OutboxTable.parse(table));
    }

    /** The same for a new inbox as plain SQL, for those who apply it by other means. */
    public static String script(DatabaseFamily family, String table) {
        return InboxMigrations.script(family, OutboxTable.parse(table));
    }
}
