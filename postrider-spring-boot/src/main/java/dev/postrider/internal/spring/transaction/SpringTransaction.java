package dev.postrider.internal.spring.transaction;

import dev.postrider.CurrentTransaction;
import dev.postrider.NoTransactionException;
import dev.postrider.PostriderException;
import java.sql.Connection;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has bound to the calling thread, if it is one of the outbox's data source: begun by a
 * transaction manager of that data source, or by JPA's, which exposes its connection under the same key. Any thread.
 */
public final class SpringTransaction implements CurrentTransaction {
    private final OutboxDataSource dataSource;
    private final BegunTransactions transactions;
    private final TransactionKinds kinds;

    public SpringTransaction(OutboxDataSource dataSource, BegunTransactions transactions, ListableBeanFactory beans) {
        this.dataSource = dataSource;
        this.transactions = transactions;
        this.kinds = new TransactionKinds(beans);
    }

    @Override
    public Connection connection() {
        DataSource key = boundKey();
        Connection connection = DataSourceUtils.getConnection(key);
        // It stays the transaction's: only the count of those who use it goes down again.
        DataSourceUtils.releaseConnection(connection, key);
        return connection;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Spring keeps the synchronizations of a transaction in a set, so that equal ones run once.
     */
    @Override
    public void afterCommit(Runnable action) {
        boundKey();
        TransactionSynchronizationManager.registerSynchronization(
                new AfterCommitAction(Objects.requireNonNull(action, "action")));
    }

    private record AfterCommitAction(Runnable action) implements TransactionSynchronization, Ordered {
        /** Before listeners of the application, which may take long, or throw. */
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            action.run();
        }
    }

    /** What the connection of this thread's transaction is bound to: the data source, or a proxy of it. */
    private DataSource boundKey() {
        BegunTransactions.Begun begun = transactions.current();
        // Listeners that run after the end find everything bound as before, but nothing they write is in the
        // transaction.
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()
                || begun != null && begun.hasEnded()) {
            throw none();
        }
        if (begun != null && !begun.isOf(dataSource.target())) {
            throw foreign(begun);
        }
        DataSource key = null;
        for (Map.Entry<Object, Object> bound :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (bound.getKey() instanceof DataSource candidate
                    && bound.getValue() instanceof ConnectionHolder holder
                    && TargetDataSource.of(candidate) == dataSource.target()
                    && BoundConnection.isOfTransaction(holder)) {
                key = candidate;
            }
        }
        if (key == null) {
            throw foreign(begun);
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new PostriderException(
                    "The transaction " + name() + "is read-only; nothing was written. An event says that"
                            + " something has changed: write it in the transaction that changes it, without readOnly = true.");
        }
        return key;
    }

    private NoTransactionException none() {
        if (kinds.areAllReactive()) {
            return new NoTransactionException(
                    "This application has reactive transactions only. They have no JDBC connection, so that an event could"
                            + " not share their fate. Nothing was written. Write events in transactions of the data source '"
                            + dataSource.name() + "', through a JDBC or JPA transaction manager.");
        }
        return new NoTransactionException(
                "No transaction: this thread is in none, so there is no data whose fate an event could share. Nothing was"
                        + " written. Annotate the method that changes the data with @Transactional and call it through its bean,"
                        + " or use a TransactionTemplate. What runs on other threads, or after the commit, is not in the"
                        + " transaction.");
    }

    private NoTransactionException foreign(BegunTransactions.@Nullable Begun begun) {
        if (begun == null ? kinds.hasJta() : begun.isOfJta()) {
            return new NoTransactionException("The transaction " + name()
                    + "is one of JTA, which Postrider does not join. Nothing was written. Write"
                    + " events in transactions of a manager for the data source '" + dataSource.name() + "' alone.");
        }
        return new NoTransactionException(
                "The transaction " + name() + "is not one of the data source '" + dataSource.name()
                        + "', which the outbox is in: the event would not share the fate of its data. Nothing was written."
                        + " Name that data source's transaction manager with @Transactional(\"..\"), or the right data source"
                        + " with postrider.data-source. A JPA transaction manager needs a dialect that exposes its JDBC"
                        + " connection, as Hibernate's does.");
    }

    private static String name() {
        @Nullable String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "" : name + " ";
    }
}
