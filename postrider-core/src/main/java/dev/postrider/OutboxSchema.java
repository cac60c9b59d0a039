package dev.postrider;

import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.jdbc.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates and updates the tables of an outbox. */
public final class OutboxSchema {
    private OutboxSchema() {}

    /** With {@link DatabaseFamily#standardLayout()} for a new outbox: a log on PostgreSQL, claims elsewhere. */
    public static int migrate(DataSource dataSource, OutboxTable table) {
        return migrate(dataSource, table, Databases.of(dataSource, table).standardLayout());
    }

    /**
     * Brings the tables up to date: at once or not at all on PostgreSQL; on MariaDB and MySQL step by step, and an
     * interrupted migration is completed by the next one. Safe to call at every start, and by several instances at once: the
     * others wait for the first, for a minute at most. Changes nothing if the tables are newer, or not Postrider's, or were
     * changed.
     *
     * @param layout of a new outbox; one that is there keeps what it has
     * @return how many migrations were applied; 0 if there was nothing to do
     * @throws PostriderException if they cannot be brought up to date; it says why
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout) {
        return migrate(dataSource, table, layout, Pooling.NONE);
    }

    /**
     * The same behind a pooler of sessions.
     *
     * @throws PostriderException if there is a pooler between here and the database, and {@code pooling} does not say so
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout, Pooling pooling) {
        Database database = requireOwnSession(dataSource, table, pooling);
        return Migrations.migrate(dataSource, database.outboxSchema(table, layout));
    }

    private static Database requireOwnSession(DataSource dataSource, OutboxTable table, Pooling pooling) {
        try (Connection connection = dataSource.getConnection()) {
            Database database = Databases.of(connection);
            database.requireOwnSession(connection, pooling);
            return database;
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
    }

    /** A new outbox as plain SQL, for those who apply it by other means. */
    public static String script(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        return Databases.of(family).outboxSchema(table, layout).script();
    }
}
