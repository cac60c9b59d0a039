package dev.postrider.internal.spring.transaction;

import dev.postrider.PostriderException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that this thread is in, as its manager tells. What Spring binds to the thread does not tell two things that decide
 * over an event: that a transaction has ended while its listeners still run, with its connection still bound; and which of two
 * managers began the inner of two transactions, where the connection of the outer one stays bound too. It can also be told that
 * a transaction must not commit, whatever its manager is. Any thread.
 */
public final class BegunTransactions implements BeanPostProcessor {
    private final ThreadLocal<@Nullable Begun> current = new ThreadLocal<>();
    private volatile boolean flushesBeforeCommit;

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            watch(manager);
        }
        return bean;
    }

    public void watch(ConfigurableTransactionManager manager) {
        manager.addListener(new Watch(manager));
    }

    /** Null if there is none, or its manager does not tell. */
    @Nullable
    Begun current() {
        return current.get();
    }

    /**
     * From now on data is flushed before a commit, and not by it: what code of the application does then can still {@link #fail}
     * the transaction.
     */
    public void flushBeforeCommit() {
        flushesBeforeCommit = true;
    }

    /**
     * Lets the calling thread's transaction end in a rollback: its commit throws. Only a savepoint that was made before can
     * save it, if its manager tells of it. Without a transaction nothing is done.
     *
     * @param what has happened, said by the exception
     */
    public void fail(String what, Throwable cause) {
        Begun begun = current.get();
        Failure failure = new Failure(what, cause);
        if (begun != null) {
            begun.steps.add(failure);
        } else if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    failure.refuse();
                }
            });
        }
    }

    private final class Watch implements TransactionExecutionListener {
        private final ConfigurableTransactionManager manager;

        Watch(ConfigurableTransactionManager manager) {
            this.manager = manager;
        }

        /** A savepoint begins none. */
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null
                    && transaction.isNewTransaction()
                    && TransactionSynchronizationManager.isSynchronizationActive()) {
                Begun begun = new Begun(manager, current.get());
                current.set(begun);
                TransactionSynchronizationManager.registerSynchronization(begun);
            }
        }

        /** After those who may still write before the commit. What is thrown here makes a rollback of it. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Begun begun = of(transaction);
            if (begun != null) {
                begun.endIsTold = true;
                if (flushesBeforeCommit
                        && !transaction.isReadOnly()
                        && transaction instanceof TransactionStatus status) {
                    status.flush();
                }
                begun.refuseIfFailed();
            }
        }

        @Override
        public void beforeRollback(TransactionExecution transaction) {
            Begun begun = of(transaction);
            if (begun != null) {
                begun.endIsTold = true;
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            leave(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            leave(transaction);
        }

        private void leave(TransactionExecution transaction) {
            Begun begun = of(transaction);
            if (begun != null) {
                begun.leave();
            }
        }

        /** Savepoints, and those who only take part, come here too. Null for these. */
        private @Nullable Begun of(TransactionExecution transaction) {
            Begun begun = current.get();
            return begun != null && begun.manager == manager && transaction.isNewTransaction() ? begun : null;
        }
    }

    private record Failure(String what, Throwable cause) {
        /** Not a {@code TransactionException}: managers do not roll back after one of these. */
        void refuse() {
            throw new PostriderException(what + ", so its transaction is rolled back: " + cause.getMessage(), cause);
        }
    }

    /** One transaction, while its thread is in it: others may suspend it. */
    final class Begun implements TransactionSynchronization, Ordered {
        private final ConfigurableTransactionManager manager;

        /** One that has ended, whose listeners have begun this one. Others are suspended. */
        private final @Nullable Begun around;

        private boolean ended;

        /** Managers tell of an end only if they have told of its beginning. */
        private boolean endIsTold;

        /** Savepoints and failures, in the order in which they came: who goes back to a savepoint undoes what came after it. */
        private final List<Object> steps = new ArrayList<>(0);

        private Begun(ConfigurableTransactionManager manager, @Nullable Begun around) {
            this.manager = manager;
            this.around = around;
        }

        boolean hasEnded() {
            return ended;
        }

        boolean isOf(DataSource target) {
            BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
            return properties.isReadableProperty("dataSource")
                    && properties.getPropertyValue("dataSource") instanceof DataSource own
                    && TargetDataSource.of(own) == target;
        }

        boolean isOfJta() {
            return TransactionKinds.isJta(manager.getClass());
        }

        private void refuseIfFailed() {
            for (Object step : steps) {
                if (step instanceof Failure failure) {
                    failure.refuse();
                }
            }
        }

        @Override
        public void savepoint(Object savepoint) {
            steps.add(savepoint);
        }

        @Override
        public void savepointRollback(Object savepoint) {
            int since = steps.lastIndexOf(savepoint);
            if (since >= 0) {
                steps.subList(since + 1, steps.size()).clear();
            }
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            current.remove();
        }

        @Override
        public void resume() {
            current.set(this);
        }

        /** Before other listeners. A manager stores data within its commit: what is written then is still in the transaction. */
        @Override
        public void afterCommit() {
            ended = true;
        }

        /** It stays this thread's until its manager tells, after all listeners, that it has ended. */
        @Override
        public void afterCompletion(int status) {
            ended = true;
            if (!endIsTold) {
                leave();
            }
        }

        private void leave() {
            if (around == null) {
                current.remove();
            } else {
                current.set(around);
            }
        }
    }
}
