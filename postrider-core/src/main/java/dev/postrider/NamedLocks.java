package dev.postrider;

import dev.postrider.store.jdbc.InboxStores;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Lets one transaction at a time do something, by a name such as that of the member it is done for, in all processes that
 * use the database. A lock ends with the transaction, however it ends. Any thread with its own connection.
 *
 * <p>Names may share a lock: who waits may wait for another name's holder, rarely. A transaction that needs several locks
 * should take them in one call, or the database may end one of those that wait for each other.
 */
public final class NamedLocks {
    private final InboxStores stores;

    private NamedLocks(InboxStores stores) {
        this.stores = stores;
    }

    /** With the tables of {@link InboxSchema}, which MariaDB and MySQL need and PostgreSQL does not. */
    public static NamedLocks create() {
        return create(InboxSchema.TABLE);
    }

    /**
     * @param table as given to {@link InboxSchema#migrate}
     */
    public static NamedLocks create(String table) {
        return new NamedLocks(new InboxStores(table));
    }

    /**
     * Waits for the lock, for as long as the database lets a transaction wait.
     *
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public void hold(Connection connection, String name) {
        hold(connection, List.of(name));
    }

    /** Waits for several locks, in an order in which all callers do. The rest as {@link #hold(Connection, String)}. */
    public void hold(Connection connection, Collection<String> names) {
        stores.call(connection, store -> {
            store.lock(connection, new TreeSet<>(names));
            return null;
        });
    }

    /**
     * @return whether this transaction has the lock; false if another one does
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean tryHold(Connection connection, String name) {
        return stores.call(connection, store -> store.tryLock(connection, name));
    }
}
