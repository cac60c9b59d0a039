package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.Retried;
import dev.postrider.internal.store.jdbc.AdminDialect;
import dev.postrider.internal.store.jdbc.Times;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** PostgreSQL: lists are arrays, and a change is one statement. */
record PostgresAdminDialect(OutboxTable table, ChangeSql sql) implements AdminDialect {

    /** Statements that differ from mode to mode: chosen ids, ids and hashes of changed ones, who; chosen ids, who. */
    interface ChangeSql {
        String retry();

        String discard();
    }

    @Override
    public Times times() {
        return Times.ABSOLUTE;
    }

    @Override
    public void bindIds(PreparedStatement statement, int index, List<Long> ids) throws SQLException {
        bindArray(statement, index, "bigint", ids);
    }

    @Override
    public void bindEventIds(PreparedStatement statement, int index, List<UUID> ids) throws SQLException {
        bindArray(statement, index, "uuid", ids);
    }

    private static void bindArray(PreparedStatement statement, int index, String type, List<?> values)
            throws SQLException {
        if (values.isEmpty()) {
            statement.setNull(index, Types.ARRAY);
        } else {
            statement.setArray(index, statement.getConnection().createArrayOf(type, values.toArray()));
        }
    }

    @Override
    public void beginChange(Connection connection) throws SQLException {
        execute(connection, PostgresAdminSql.BEGIN_CHANGE);
        try (PreparedStatement lock = connection.prepareStatement(PostgresAdminSql.WAIT_FOR_OPERATORS)) {
            lock.setString(1, PostgresAdminSql.operatorsOf(table));
            lock.execute();
        }
    }

    @Override
    public void walkAlongIndexes(Connection connection) throws SQLException {
        execute(connection, PostgresAdminSql.WALK_ALONG_INDEXES);
    }

    private static void execute(Connection connection, String statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }

    @Override
    public Retried retry(Connection connection, List<Long> chosen, Map<Long, String> hashes, String actor)
            throws SQLException {
        try (PreparedStatement retry = connection.prepareStatement(sql.retry())) {
            retry.setArray(1, connection.createArrayOf("bigint", chosen.toArray()));
            retry.setArray(2, connection.createArrayOf("bigint", hashes.keySet().toArray()));
            retry.setArray(3, connection.createArrayOf("text", hashes.values().toArray()));
            retry.setString(4, actor);
            try (ResultSet row = retry.executeQuery()) {
                row.next();
                return new Retried(
                        row.getLong("back"), row.getLong("inserted"), row.getLong("handled"), row.getLong("kept"));
            }
        }
    }

    @Override
    public Discarded discard(Connection connection, List<Long> chosen, String actor) throws SQLException {
        try (PreparedStatement discard = connection.prepareStatement(sql.discard())) {
            discard.setArray(1, connection.createArrayOf("bigint", chosen.toArray()));
            discard.setString(2, actor);
            try (ResultSet row = discard.executeQuery()) {
                row.next();
                return new Discarded(row.getLong("discarded"), row.getLong("handled"));
            }
        }
    }
}
