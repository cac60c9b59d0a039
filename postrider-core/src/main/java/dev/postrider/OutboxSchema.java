package dev.postrider;

import dev.postrider.store.jdbc.Migrations;
import javax.sql.DataSource;

/** Creates and updates the tables of an outbox. */
public final class OutboxSchema {
    private OutboxSchema() {}

    /**
     * Brings the tables up to date, with a history table of their own. Safe to call at every start,
     * and by several instances at once.
     *
     * @return how many migrations were applied; 0 if there was nothing to do
     */
    public static int migrate(DataSource dataSource, OutboxTable table) {
        return Migrations.migrate(dataSource, table);
    }

    /** The same as plain SQL, for those who apply it by other means. */
    public static String script(OutboxTable table) {
        return Migrations.script(table);
    }
}
