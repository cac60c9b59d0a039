package dev.postrider.cli.doctor.check;

import dev.postrider.internal.store.jdbc.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to ask questions on. Every question has a transaction of its own that cannot write and does
 * not wait for long; its limits end with it, so that behind a pooler they do not stay with a stranger.
 */
public final class DatabaseSession implements AutoCloseable {
    /** If the server is gone without a word. */
    private static final int NETWORK_MILLIS = 10_000;

    private final Connection connection;
    private final Database database;
    private final DoctorDatabase doctor;

    private DatabaseSession(Connection connection, Database database, DoctorDatabase doctor) {
        this.connection = connection;
        this.database = database;
        this.doctor = doctor;
    }

    /** Closes the connection in the end. */
    public static DatabaseSession on(Connection connection, Database database, DoctorDatabase doctor)
            throws SQLException {
        connection.setNetworkTimeout(Runnable::run, NETWORK_MILLIS);
        String limit = doctor.limitSession();
        if (limit != null) {
            try (Statement limits = connection.createStatement()) {
                limits.execute(limit);
            }
        }
        connection.setAutoCommit(false);
        return new DatabaseSession(connection, database, doctor);
    }

    /** What is known of databases like this one. */
    public Database database() {
        return database;
    }

    /** How the doctor speaks to databases like this one. */
    public DoctorDatabase doctor() {
        return doctor;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** A question, or several. */
    @FunctionalInterface
    public interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /** After an error the server may be gone. */
    public boolean isLost() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    public <T> T inTransaction(Question<T> question) throws SQLException {
        try (Statement begin = connection.createStatement()) {
            begin.execute(doctor.begin());
            return question.ask(connection);
        } finally {
            if (!isLost()) {
                connection.rollback();
            }
        }
    }

    /** All rows of a statement. */
    public <T> List<T> list(String sql, RowReader<T> reader, String... parameters) throws SQLException {
        return inTransaction(asking -> {
            try (PreparedStatement select = asking.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    select.setString(i + 1, parameters[i]);
                }
                try (ResultSet row = select.executeQuery()) {
                    List<T> all = new ArrayList<>();
                    while (row.next()) {
                        all.add(reader.read(row));
                    }
                    return all;
                }
            }
        });
    }

    /** For statements that give one row. */
    public <T> T one(String sql, RowReader<T> reader, String... parameters) throws SQLException {
        List<T> all = list(sql, reader, parameters);
        if (all.size() != 1) {
            throw new SQLException("Expected one row, got " + all.size() + " of: " + sql.strip());
        }
        return all.get(0);
    }

    /** A column with seconds. */
    public static Duration seconds(ResultSet row, String column) throws SQLException {
        return Duration.ofMillis((long) (row.getDouble(column) * 1000));
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is gone already, which is all that was wanted.
        }
    }
}
