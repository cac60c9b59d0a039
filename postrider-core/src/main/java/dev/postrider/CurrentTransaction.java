package dev.postrider;

import java.sql.Connection;

/**
 * Tells {@link Outbox}, {@link Inbox} and {@link NamedLocks} which transaction the calling thread is in, so that code
 * that writes an event does not need a connection. Implement it for the framework that begins and ends your
 * transactions; {@link JdbcTransactions} implements it for applications without one. Any thread.
 */
public interface CurrentTransaction {

    /**
     * The connection of the calling thread's transaction: the one on which the data is written. The caller does not
     * close, commit or roll it back.
     *
     * @throws NoTransactionException if the thread is in no transaction; the message says how to begin one
     */
    Connection connection();

    /**
     * Runs an action after the calling thread's transaction has committed, when others can see what it wrote; never
     * before, and not at all if it does not commit. An action that is passed several times in one transaction runs
     * once.
     *
     * @throws NoTransactionException if the thread is in no transaction
     */
    void afterCommit(Runnable action);
}
