package dev.postrider.internal.store.mysql;

import dev.postrider.PostriderException;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import dev.postrider.internal.store.jdbc.Migrations;
import dev.postrider.internal.store.jdbc.Schema;
import dev.postrider.internal.store.jdbc.SchemaState;
import dev.postrider.internal.store.jdbc.TableShape;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Brings tables on MariaDB and MySQL up to date, where every statement about tables commits. So each statement is looked at
 * first, and left out if it was done before: whatever an interrupted run left, the next one does the rest. The last statement
 * writes the version; before it nobody takes the tables for complete.
 */
final class MySqlMigration {
    private static final Pattern ADD_COLUMN =
            Pattern.compile("alter table (\\S+) add column (\\w+) .*", Pattern.DOTALL);

    /** Locks by name are the server's, and their names have 64 characters at most. */
    private static final String LOCK = """
            select get_lock(concat('postrider/', md5(concat(coalesce(?, database(), ''), '.', ?))), 60)
            """;

    private static final String UNLOCK = """
            do release_lock(concat('postrider/', md5(concat(coalesce(?, database(), ''), '.', ?))))
            """;

    private static final String FIND_SCHEMA = "select 1 from information_schema.schemata where schema_name = ?";

    private final Connection connection;
    private final Schema schema;
    private final MySqlCatalogue catalogue = new MySqlCatalogue();
    private final TableShape shape;
    private final SchemaState state;

    private MySqlMigration(Connection connection, Schema schema) {
        this.connection = connection;
        this.schema = schema;
        this.shape = new TableShape(connection, catalogue);
        this.state = new SchemaState(schema, connection);
    }

    /**
     * @return how many versions were applied, or completed
     */
    static int run(Connection connection, Schema schema) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            return new MySqlMigration(connection, schema).runLocked();
        } finally {
            Migrations.restore(connection, autoCommit);
        }
    }

    private int runLocked() throws SQLException {
        lock();
        try {
            int version = state.versionOfWhole();
            try (Statement statement = connection.createStatement()) {
                if (version == 0) {
                    createSchema(statement);
                }
                for (String one : schema.statementsAfter(version)) {
                    if (!isDone(one)) {
                        statement.execute(one);
                    }
                }
            }
            return schema.files().version() - version;
        } finally {
            unlock();
        }
    }

    private void lock() throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            bindLock(lock);
            try (ResultSet row = lock.executeQuery()) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new PostriderException("Another command has been changing " + schema
                            + " for more than a minute. Nothing was changed; run '" + schema.command()
                            + "' again when it has ended.");
                }
            }
        }
    }

    /** The lock belongs to the session: one that cannot be unlocked must not go back to a pool. */
    private void unlock() throws SQLException {
        try (PreparedStatement unlock = connection.prepareStatement(UNLOCK)) {
            bindLock(unlock);
            unlock.execute();
        } catch (SQLException e) {
            connection.abort(Runnable::run);
        }
    }

    private void bindLock(PreparedStatement statement) throws SQLException {
        statement.setString(1, schema.table().schema());
        statement.setString(2, schema.table().name());
    }

    private void createSchema(Statement statement) throws SQLException {
        String name = schema.table().schema();
        if (name == null) {
            return;
        }
        try (PreparedStatement select = connection.prepareStatement(FIND_SCHEMA)) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                if (row.next()) {
                    return;
                }
            }
        }
        statement.execute("create schema `" + name + '`');
    }

    /** Statements that are none of these can be repeated. */
    private boolean isDone(String statement) throws SQLException {
        ExpectedSchema makes = ExpectedSchema.parse(schema.database(), statement);
        for (ExpectedSchema.Table table : makes.tables()) {
            if (shape.exists(table.sql())) {
                state.requireShape(table);
                return true;
            }
        }
        for (ExpectedSchema.Index index : makes.indexes()) {
            return catalogue.hasIndex(connection, index);
        }
        Matcher add = ADD_COLUMN.matcher(statement);
        return add.matches() && shape.hasColumn(add.group(1), add.group(2));
    }
}
