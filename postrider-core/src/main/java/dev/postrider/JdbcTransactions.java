package dev.postrider;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions for applications without a transaction framework. Begins and ends them, and binds them to the calling
 * thread.
 *
 * <pre>{@code
 * transactions.run(connection -> {
 *     orders.insert(connection, order);
 *     outbox.write(event);             // an outbox that was given these transactions
 * });
 * }</pre>
 *
 * <p>A call inside another call joins the same transaction. If the inner call fails, the whole transaction is rolled
 * back, even if its exception is caught. Any thread; work that is passed to other threads is not in the transaction.
 */
public final class JdbcTransactions implements CurrentTransaction {
    private static final Logger log = LoggerFactory.getLogger(JdbcTransactions.class);

    private final DataSource dataSource;
    /** Per object: each has transactions of its own data source. */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable Open> current = new ThreadLocal<>();

    private JdbcTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public static JdbcTransactions of(DataSource dataSource) {
        return new JdbcTransactions(Objects.requireNonNull(dataSource, "dataSource"));
    }

    /** Work to be done in a transaction. It must not commit, roll back or close the connection. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, X extends Exception> {
        T in(Connection connection) throws X;
    }

    /** The same, without a result. */
    @FunctionalInterface
    public interface Action<X extends Exception> {
        void in(Connection connection) throws X;
    }

    /** A transaction that has not ended. Used by its thread only. */
    private static final class Open {
        final Connection connection;
        final Set<Runnable> afterCommit = new LinkedHashSet<>();
        boolean failed;

        Open(Connection connection) {
            this.connection = connection;
        }
    }

    /** As {@link #call}, without a result. */
    public <X extends Exception> void run(Action<X> action) throws X, SQLException {
        Objects.requireNonNull(action, "action");
        call(connection -> {
            action.in(connection);
            return true;
        });
    }

    /**
     * Does the work in a transaction, which commits when it returns and is rolled back when it throws.
     *
     * @throws SQLException if the transaction cannot be begun or committed
     */
    public <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X, SQLException {
        Objects.requireNonNull(work, "work");
        Open outer = current.get();
        if (outer == null) {
            return callInNew(work);
        }
        boolean done = false;
        try {
            T result = work.in(outer.connection);
            done = true;
            return result;
        } finally {
            outer.failed |= !done;
        }
    }

    private <T extends @Nullable Object, X extends Exception> T callInNew(Work<T, X> work) throws X, SQLException {
        Connection connection = dataSource.getConnection();
        Open open = new Open(connection);
        boolean autoCommit = true;
        boolean committed = false;
        T result;
        try {
            autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            current.set(open);
            result = work.in(connection);
            if (open.failed) {
                throw new PostriderException(
                        "A call within this transaction failed, so that it cannot commit; it is rolled"
                                + " back. Let the exception of the inner call through.");
            }
            connection.commit();
            committed = true;
        } finally {
            current.remove();
            end(connection, committed, autoCommit);
        }
        // The thread is free by now: an action may begin a transaction of its own.
        AfterCommit.run(open.afterCommit);
        return result;
    }

    /** The outcome is decided by now, or lost with the connection: what fails here changes nothing about it. */
    private static void end(Connection connection, boolean committed, boolean autoCommit) {
        try (connection) {
            if (!committed) {
                connection.rollback();
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            log.warn("A connection could not be given back after its transaction: {}", e.toString());
        }
    }

    @Override
    public Connection connection() {
        return open().connection;
    }

    @Override
    public void afterCommit(Runnable action) {
        open().afterCommit.add(Objects.requireNonNull(action, "action"));
    }

    private Open open() {
        Open open = current.get();
        if (open == null) {
            throw new NoTransactionException(
                    "No transaction: this thread is in none of these JdbcTransactions, so there"
                            + " is no data whose fate this could share. Do it inside JdbcTransactions.call(..), on the thread that"
                            + " called it.");
        }
        return open;
    }
}
