package dev.postrider.internal.spring.transaction;

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
 * managers began the inner of two transactions, where the connection of the outer one stays bound too. Any thread.
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

    private final class Watch implements TransactionExecutionListener {
        private final ConfigurableTransactionManager manager;

        Watch(ConfigurableTransactionManager manager) {
            this.manager = manager;
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
                Begun begun = new Begun(manager);
                current.set(begun);
                TransactionSynchronizationManager.registerSynchronization(begun);
            }
        }

        /** After those who may still write before the commit. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            end(transaction);
        }

        @Override
        public void beforeRollback(TransactionExecution transaction) {
            end(transaction);
        }

        /** Savepoints, and those who only take part, come here too. */
        private void end(TransactionExecution transaction) {
            Begun begun = current.get();
            if (begun != null && begun.manager == manager && transaction.isNewTransaction()) {
                begun.ended = true;
            }
        }
    }

    /** One transaction, while its thread is in it: others may suspend it. */
    final class Begun implements TransactionSynchronization, Ordered {
        private final ConfigurableTransactionManager manager;
        private boolean ended;

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
