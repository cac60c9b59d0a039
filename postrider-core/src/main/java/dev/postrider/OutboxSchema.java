package dev.postrider;

import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.jdbc.Migrations;
import dev.postrider.internal.store.jdbc.WalStream;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates and updates the tables of an outbox. */
public final class OutboxSchema {
    private OutboxSchema() {}

    /** With {@link DatabaseFamily#standardLayout()} for a new outbox: log mode on PostgreSQL, claim mode elsewhere. */
    public static int migrate(DataSource dataSource, OutboxTable table) {
        return migrate(dataSource, table, Databases.of(dataSource, table).standardLayout());
    }

    /**
     * Brings the tables up to date: on PostgreSQL completely or not at all; on MariaDB and MySQL step by step, and the
     * next call completes an interrupted migration. Safe to call at every start, and by several instances at once: the
     * others wait for the first, for a minute at most. Changes nothing if the tables are newer, do not belong to
     * Postrider, or were changed.
     *
     * @param layout of a new outbox; an existing outbox keeps its layout
     * @return how many migrations were applied; 0 if there was nothing to do
     * @throws PostriderException if they cannot be brought up to date; the message says why
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout) {
        return migrate(dataSource, table, layout, Pooling.NONE);
    }

    /**
     * The same, behind a pooler in session mode if {@code pooling} says so.
     *
     * @throws PostriderException if there is a pooler between here and the database, and {@code pooling} does not say so
     */
    public static int migrate(DataSource dataSource, OutboxTable table, OutboxLayout layout, Pooling pooling) {
        Database database = requireOwnSession(dataSource, table, pooling);
        return Migrations.migrate(dataSource, database.outboxSchema(table, layout));
    }

    /**
     * Makes the publication that relays with {@link WakeUp#WAL} need, for inserts into the outbox only, unless it is there. Takes
     * the owner of the table with the privilege {@code CREATE} on the database.
     *
     * @return whether there was none
     * @throws PostriderException if it cannot be made, or this database has no replication stream that relays can read
     */
    public static boolean publish(DataSource dataSource, OutboxTable table) {
        return onStream(dataSource, table, WalStream::publish);
    }

    /**
     * Drops it; relays that are running go on with notifications and polling.
     *
     * @return whether there was one
     */
    public static boolean unpublish(DataSource dataSource, OutboxTable table) {
        return onStream(dataSource, table, WalStream::unpublish);
    }

    @FunctionalInterface
    private interface Change {
        boolean apply(WalStream stream, Connection connection) throws SQLException;
    }

    private static boolean onStream(DataSource dataSource, OutboxTable table, Change change) {
        try (Connection connection = dataSource.getConnection()) {
            WalStream stream = Databases.of(connection).walStream(table);
            if (stream == null) {
                throw new PostriderException("Relays can be woken by a replication stream on PostgreSQL only; outbox "
                        + table + " is elsewhere.");
            }
            return change.apply(stream, connection);
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
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

    /** A new outbox as plain SQL, if you apply migrations by other means. */
    public static String script(DatabaseFamily family, OutboxTable table, OutboxLayout layout) {
        return Databases.of(family).outboxSchema(table, layout).script();
    }
}
