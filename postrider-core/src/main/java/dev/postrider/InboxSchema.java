package dev.postrider;

import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.jdbc.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates and updates the tables of an inbox. */
public final class InboxSchema {
    /** The default name of the table. */
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
        OutboxTable inbox = OutboxTable.parse(table);
        return Migrations.migrate(dataSource, databaseOf(dataSource, inbox).inboxSchema(inbox));
    }

    private static Database databaseOf(DataSource dataSource, OutboxTable inbox) {
        try (Connection connection = dataSource.getConnection()) {
            return Databases.of(connection);
        } catch (SQLException e) {
            throw Explanation.ofInbox(e, inbox);
        }
    }

    /** The same for a new inbox as plain SQL, if you apply migrations by other means. */
    public static String script(DatabaseFamily family, String table) {
        return Databases.of(family).inboxSchema(OutboxTable.parse(table)).script();
    }
}
