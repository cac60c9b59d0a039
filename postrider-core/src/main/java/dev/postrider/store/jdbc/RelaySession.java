package dev.postrider.store.jdbc;

import dev.postrider.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One connection that a relay's thread keeps for itself, in autocommit mode and with the session
 * settings the store asks for. Used by one thread at a time.
 *
 * <p>After any error the connection is given up and the next call opens a fresh one: what happened to
 * the failed statement is unknown, and a connection in an unknown state is worth nothing.
 */
public final class RelaySession implements AutoCloseable {
    private final DataSource dataSource;
    private final OutboxStore store;
    private @Nullable Connection connection;
    private Greeting greeting = fresh -> {};

    public RelaySession(DataSource dataSource, OutboxStore store) {
        this.dataSource = dataSource;
        this.store = store;
    }

    /** A piece of work on the connection. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException;
    }

    /** What is done on every new connection before anything else. */
    @FunctionalInterface
    public interface Greeting {
        void on(Connection connection) throws SQLException;
    }

    public void onOpen(Greeting first) {
        greeting = first;
    }

    public <T extends @Nullable Object> T call(Work<T> work) throws SQLException {
        Connection current = connection != null ? connection : open();
        try {
            return work.on(current);
        } catch (SQLException | RuntimeException e) {
            connection = null;
            abandon(current, e);
            throw e;
        }
    }

    private Connection open() throws SQLException {
        Connection fresh = dataSource.getConnection();
        try {
            fresh.setAutoCommit(true);
            store.prepareRelaySession(fresh);
            greeting.on(fresh);
        } catch (SQLException | RuntimeException e) {
            abandon(fresh, e);
            throw e;
        }
        connection = fresh;
        return fresh;
    }

    /** Restores the session's settings, so that a pool can hand the connection to somebody else. */
    @Override
    public void close() {
        Connection current = connection;
        connection = null;
        if (current != null) {
            try (current) {
                store.restoreSession(current);
            } catch (SQLException e) {
                // The connection is gone already, which is all that was wanted.
            }
        }
    }

    /** Aborted, not closed: a pool must not hand this connection to anybody else. */
    private static void abandon(Connection broken, Exception cause) {
        try {
            broken.abort(Runnable::run);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
        try {
            broken.close();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
