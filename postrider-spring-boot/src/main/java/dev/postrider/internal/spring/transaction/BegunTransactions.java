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
     * Lets the calling thread's transaction end in a rollback: its commit throws. Only a savepoint that was made before can
     * save it. Without a transaction nothing is done.
     *
     * @param what has happened, said by the exception
     */
    public void fail(String what, Throwable cause) {
        Begun begun = current.get();
        if (begun != null) {
            begun.steps.add(new Failure(what, cause));
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
                Begun begun = new Begun(manager);
                current.set(begun);
                TransactionSynchronizationManager.registerSynchronization(begun);
            }
        }

        /** After those who may still write before the commit. What is thrown here makes a rollback of it. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Begun begun = end(transaction);
            if (begun != null) {
                begun.refuseIfFailed();
            }
        }

        @Override
        public void beforeRollback(TransactionExecution transaction) {
            end(transaction);
        }

        /** Savepoints, and those who only take part, come here too. Null for these. */
        private @Nullable Begun end(TransactionExecution transaction) {
            Begun begun = current.get();
            if (begun == null || begun.manager != manager || !transaction.isNewTransaction()) {
                return null;
            }
            begun.ended = true;
            return begun;
        }
    }

    private record Failure(String what, Throwable cause) {}

    /** One transaction, while its thread is in it: others may suspend it. */
    final class Begun implements TransactionSynchronization, Ordered {
        private final ConfigurableTransactionManager manager;
        private boolean ended;

        /** Savepoints and failures, in the order in which they came: who goes back to a savepoint undoes what came after it. */
        private final List<Object> steps = new ArrayList<>(0);

        private Begun(ConfigurableTransactionManager manager) {
            this.manager = manager;
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

        /** Not a {@code TransactionException}: managers do not roll back after one of these. */
        private void refuseIfFailed() {
            for (Object step : steps) {
                if (step instanceof Failure failure) {
                    throw new PostriderException(
                            failure.what() + ", so its transaction is rolled back: "
                                    + failure.cause().getMessage(),
                            failure.cause());
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

        @Override
        public void afterCompletion(int status) {
            current.remove();
        }
    }
}
