package dev.postrider.internal.store.database;

import dev.postrider.NoTransactionException;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.jdbc.Explanation;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The store that fits the database. Which that is is asked once, of the first connection. Any thread. */
public final class InboxStores {
    private final OutboxTable table;
    private volatile @Nullable InboxStore store;

    public InboxStores(String table) {
        this.table = OutboxTable.parse(table);
    }

    /** A piece of work in the caller's transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T in(InboxStore store) throws SQLException;
    }

    /** One that has no result. */
    @FunctionalInterface
    public interface Action {
        void in(InboxStore store) throws SQLException;
    }

    /**
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public <T extends @Nullable Object> T call(Connection connection, Work<T> work) {
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException();
            }
            return work.in(forConnection(connection));
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** The same, for work without a result. */
    public void run(Connection connection, Action action) {
        call(connection, store -> {
            action.in(store);
            return true;
        });
    }

    public InboxStore forConnection(Connection connection) throws SQLException {
        InboxStore known = store;
        if (known == null) {
            known = Databases.of(connection).inboxStore(table);
            // Those in memory come and go with the tests.
            if (!connection.isWrapperFor(ConnectionWithStores.class)) {
                store = known;
            }
        }
        return known;
    }

    /** What a user can do about an error of the database. */
    public PostriderException explain(SQLException e) {
        return Explanation.ofInbox(e, table);
    }
}
