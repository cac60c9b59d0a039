package dev.postrider.testing;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.OutboxStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of one connection; nothing else of a connection is there. Around a connection to a database it is that
 * connection in all but this: whatever ends a transaction there ends it here too. Used by one thread at a time.
 */
final class MemoryConnection implements InvocationHandler, ConnectionWithStores {
    private static final Set<String> USABLE_WHEN_CLOSED = Set.of("close", "isClosed", "isValid", "abort");
    private static final Set<String> ENDS_BY_COMMIT = Set.of("commit", "setAutoCommit");

    private final MemoryDatabase database;
    private final OutboxTable table;
    private final @Nullable Connection around;

    private @Nullable MemoryTransaction transaction;
    private boolean autoCommit = true;
    private boolean closed;

    private MemoryConnection(MemoryDatabase database, OutboxTable table, @Nullable Connection around) {
        this.database = database;
        this.table = table;
        this.around = around;
    }

    /**
     * @param around a connection to a database, or null for none
     */
    static Connection open(MemoryDatabase database, OutboxTable table, @Nullable Connection around) {
        return (Connection) Proxy.newProxyInstance(
                MemoryConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new MemoryConnection(database, table, around));
    }

    static MemoryConnection of(Connection connection) throws SQLException {
        return connection.unwrap(MemoryConnection.class);
    }

    /** The one in progress; a new one if there is none. */
    MemoryTransaction transaction() {
        if (transaction == null) {
            transaction = new MemoryTransaction();
        }
        return transaction;
    }

    @Override
    public OutboxStore outboxStore(OutboxTable wanted) {
        if (!wanted.equals(table)) {
            throw new PostriderException("There is no outbox " + wanted + " in memory: this one is " + table
                    + ". Make another with new InMemoryOutbox(..).");
        }
        return new MemoryStore(database, table);
    }

    @Override
    public InboxStore inboxStore(OutboxTable inbox) {
        return new MemoryInbox(database, inbox.toString());
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        @Nullable Object first = arguments == null ? null : arguments[0];
        String name = method.getName();
        switch (name) {
            case "unwrap":
                return isOurs(first) ? this : first == Connection.class ? proxy : passOn(method, arguments);
            case "isWrapperFor":
                return isOurs(first)
                        || first == Connection.class
                        || around != null && around.isWrapperFor((Class<?>) first);
            case "equals":
                return proxy == first;
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "in-memory outbox " + table + (around == null ? "" : " around " + around);
            case "rollback":
                if (first != null) {
                    throw new SQLFeatureNotSupportedException("the in-memory outbox knows no savepoints");
                }
                break;
            default:
        }
        if (closed && !USABLE_WHEN_CLOSED.contains(name)) {
            throw new SQLException("this connection is closed");
        }
        boolean done = false;
        try {
            @Nullable Object result = around == null ? alone(name) : passOn(method, arguments);
            done = true;
            return result;
        } finally {
            // A commit that the database refuses has not happened here either; everything else ends what there is.
            if (done || !ENDS_BY_COMMIT.contains(name)) {
                follow(name, first);
            }
        }
    }

    private static boolean isOurs(@Nullable Object type) {
        return type == MemoryConnection.class || type == ConnectionWithStores.class;
    }

    private @Nullable Object passOn(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (around == null) {
            throw new SQLException("the in-memory outbox wraps no other connection");
        }
        try {
            return method.invoke(around, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** What pools and transaction managers ask of every connection. */
    private @Nullable Object alone(String method) throws SQLException {
        return switch (method) {
            case "getAutoCommit" -> autoCommit;
            case "isClosed" -> closed;
            case "isValid" -> !closed;
            case "isReadOnly" -> false;
            case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
            case "getHoldability", "getNetworkTimeout" -> 0;
            case "commit",
                    "rollback",
                    "close",
                    "abort",
                    "setAutoCommit",
                    "setReadOnly",
                    "setTransactionIsolation",
                    "setHoldability",
                    "setNetworkTimeout",
                    "clearWarnings",
                    "getWarnings" -> null;
            default ->
                throw new SQLFeatureNotSupportedException("the in-memory outbox knows no SQL, so there is no "
                        + method + "(). For tests with SQL, put it around their database:"
                        + " InMemoryOutbox.around(dataSource)");
        };
    }

    /** Ends the transaction here when it ends there. */
    private void follow(String method, @Nullable Object first) {
        switch (method) {
            case "commit" -> end(true);
            case "rollback" -> end(false);
            case "setAutoCommit" -> {
                autoCommit = Boolean.TRUE.equals(first);
                if (autoCommit) {
                    end(true);
                }
            }
            case "close", "abort" -> {
                closed = true;
                end(false);
            }
            default -> {
                // Nothing that ends a transaction.
            }
        }
    }

    private void end(boolean commit) {
        MemoryTransaction ending = transaction;
        transaction = null;
        if (ending != null) {
            synchronized (database) {
                if (commit) {
                    database.commit(ending);
                } else {
                    database.rollback(ending);
                }
            }
        }
    }
}
