package dev.postrider;

import java.sql.Connection;

/**
 * Where {@link Outbox}, {@link Inbox} and {@link NamedLocks} find the transaction that the calling thread is in, so that
 * code which writes an event need not be handed a connection. Implement it for the framework that begins and ends your
 * transactions; {@link JdbcTransactions} does for applications without one. Any thread.
 */
public interface CurrentTransaction {

    /**
     * The connection of the calling thread's transaction: the one that the data is written on. It stays the transaction's:
     * it is not closed, committed or rolled back by whoever asks for it.
     *
     * @throws NoTransactionException if the thread is in no transaction; it says how to begin one
     */
    Connection connection();

    /**
     * Runs an action once the calling thread's transaction has committed, when others can see what it wrote; never before,
     * and not at all if it does not commit. An action that is given several times in one transaction runs once.
     *
     * @throws NoTransactionException if the thread is in no transaction
     */
    void afterCommit(Runnable action);
}
