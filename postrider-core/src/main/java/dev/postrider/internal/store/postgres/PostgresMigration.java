package dev.postrider.internal.store.postgres;

import dev.postrider.PostriderException;
import dev.postrider.internal.store.jdbc.Migrations;
import dev.postrider.internal.store.jdbc.Schema;
import dev.postrider.internal.store.jdbc.SchemaState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Brings tables on PostgreSQL up to date: all of it in one transaction, or nothing. */
final class PostgresMigration {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Who had to wait for another one must see what it has done. */
    private static final String BEGIN = """
            set transaction isolation level read committed;
            set local lock_timeout = '60s'
            """;

    /** Those who write events queue behind whoever waits to change the table. */
    private static final String WAIT_BRIEFLY = "set local lock_timeout = '10s'";

    private static final String SCHEMA_IS_MISSING = "select to_regnamespace(?) is null";

    private PostgresMigration() {}

    /**
     * @return how many versions were applied
     */
    static int run(Connection connection, Schema schema) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(BEGIN);
            lock(connection, schema);
            statement.execute(WAIT_BRIEFLY);
            int version = new SchemaState(schema, connection).version();
            if (version == 0) {
                createSchema(connection, statement, schema);
            }
            for (String one : schema.statementsAfter(version)) {
                statement.execute(one);
            }
            connection.commit();
            return schema.files().version() - version;
        } catch (SQLException | RuntimeException e) {
            rollBack(connection, e);
            throw e;
        } finally {
            Migrations.restore(connection, autoCommit);
        }
    }

    /** If not even that can be done, the server does it. */
    private static void rollBack(Connection connection, Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private static void lock(Connection connection, Schema schema) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(PostgresAdminSql.WAIT_FOR_OPERATORS)) {
            lock.setString(1, PostgresAdminSql.operatorsOf(schema.table()));
            lock.execute();
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw new PostriderException(
                        "Another command has been changing " + schema + " for more than a minute. Nothing was changed;"
                                + " run '" + schema.command() + "' again when it has ended.",
                        e);
            }
            throw e;
        }
    }

    private static void createSchema(Connection connection, Statement statement, Schema schema) throws SQLException {
        String name = schema.table().schema();
        if (name == null) {
            return;
        }
        boolean missing;
        try (PreparedStatement select = connection.prepareStatement(SCHEMA_IS_MISSING)) {
            select.setString(1, '"' + name + '"');
            try (ResultSet row = select.executeQuery()) {
                row.next();
                missing = row.getBoolean(1);
            }
        }
        if (missing) {
            statement.execute("create schema \"" + name + '"');
        }
    }
}
