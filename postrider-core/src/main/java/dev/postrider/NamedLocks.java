package dev.postrider;

import dev.postrider.internal.store.database.InboxStores;
import dev.postrider.internal.write.Storable;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Locks by name, for example one per customer: only one transaction at a time holds a lock, across all processes that
 * use the database. A lock ends with the transaction, however it ends. Any thread with its own connection.
 *
 * <p>Names may share a lock, so a transaction may, rarely, wait for the holder of another name. A transaction that
 * needs several locks should take them in one call; otherwise transactions may deadlock, and the database ends one of
 * them.
 */
public final class NamedLocks {
    private static final CurrentTransaction UNKNOWN = new UnknownTransaction(
            "These locks do not know which transaction this thread is in. Call hold(connection, name) with the connection"
                    + " that the work is done on, or make them with NamedLocks.create().with(currentTransaction).");

    private final InboxStores stores;
    private final CurrentTransaction transaction;

    private NamedLocks(InboxStores stores, CurrentTransaction transaction) {
        this.stores = stores;
        this.transaction = transaction;
    }

    /** With the tables of {@link InboxSchema}, which MariaDB and MySQL need and PostgreSQL does not. */
    public static NamedLocks create() {
        return create(InboxSchema.TABLE);
    }

    /**
     * @param table as given to {@link InboxSchema#migrate}
     */
    public static NamedLocks create(String table) {
        return new NamedLocks(new InboxStores(Objects.requireNonNull(table, "table")), UNKNOWN);
    }

    /** The same locks, whose methods without a connection work in the current transaction. */
    public NamedLocks with(CurrentTransaction transaction) {
        return new NamedLocks(stores, Objects.requireNonNull(transaction, "transaction"));
    }

    /**
     * The same as {@link #hold(Connection, String)}, in the current transaction.
     *
     * @throws NoTransactionException if there is none, or these locks were made without {@link #with}
     */
    public void hold(String name) {
        hold(transaction.connection(), name);
    }

    /** The same as {@link #hold(Connection, Collection)}, in the current transaction. */
    public void hold(Collection<String> names) {
        hold(transaction.connection(), names);
    }

    /** The same as {@link #tryHold(Connection, String)}, in the current transaction. */
    public boolean tryHold(String name) {
        return tryHold(transaction.connection(), name);
    }

    /**
     * Waits for the lock, for as long as the database lets a transaction wait.
     *
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public void hold(Connection connection, String name) {
        hold(connection, List.of(Objects.requireNonNull(name, "name")));
    }

    /**
     * Waits for several locks, in an order that is the same for all callers. Otherwise as {@link #hold(Connection,
     * String)}.
     */
    public void hold(Connection connection, Collection<String> names) {
        Objects.requireNonNull(connection, "connection");
        Objects.requireNonNull(names, "names").forEach(NamedLocks::requireName);
        stores.run(connection, store -> {
            store.lock(connection, new TreeSet<>(names));
        });
    }

    /**
     * @return whether this transaction has the lock; false if another one does
     * @throws NoTransactionException if the connection is in autocommit mode
     */
    public boolean tryHold(Connection connection, String name) {
        Objects.requireNonNull(connection, "connection");
        requireName(name);
        return stores.call(connection, store -> store.tryLock(connection, name));
    }

    private static void requireName(String name) {
        Storable.requireText(Objects.requireNonNull(name, "name"), "name of a lock");
    }
}
