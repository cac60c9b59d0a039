package dev.postrider.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Several statements of a relay, together or not at all, on a connection that is otherwise in autocommit mode. */
public final class Transaction {
    private Transaction() {}

    /** What is done in it. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    public static <T extends @Nullable Object> T of(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException e) {
            undo(connection, e);
            throw e;
        }
        connection.commit();
        connection.setAutoCommit(true);
        return result;
    }

    /** So that the caller can go on in another way, if the connection is still there. */
    private static void undo(Connection connection, Exception cause) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
