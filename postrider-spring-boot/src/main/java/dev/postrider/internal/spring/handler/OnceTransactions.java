package dev.postrider.internal.spring.handler;

import dev.postrider.Inbox;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.failure.PostriderStartException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.util.StringUtils;

/** Handles an event in a transaction that marks it too. Any thread. */
public final class OnceTransactions {
    private static final Logger log = LoggerFactory.getLogger(OnceTransactions.class);

    private final BeanFactory beans;
    private final Supplier<Inbox> inbox;

    /**
     * @param inbox of the handlers, in the current transaction; made when it is first needed
     */
    public OnceTransactions(BeanFactory beans, Supplier<Inbox> inbox) {
        this.beans = beans;
        this.inbox = inbox;
    }

    void prepare(HandlerMethod method) {
        inbox.get();
        manager(method);
    }

    private PlatformTransactionManager manager(HandlerMethod method) {
        String name = method.transactionManager();
        try {
            return StringUtils.hasText(name)
                    ? beans.getBean(name, PlatformTransactionManager.class)
                    : beans.getBean(PlatformTransactionManager.class);
        } catch (NoSuchBeanDefinitionException e) {
            throw new PostriderStartException(
                    "@OutboxHandler(once = true) on " + method
                            + " needs a transaction manager, and which one is not clear: " + e.getMessage() + ".",
                    "Name the bean of the outbox's data source by transactionManager = \"..\".");
        }
    }

    void run(HandlerMethod method, OutboxEvent event, HandlingScope.Work work) throws Exception {
        PlatformTransactionManager manager = manager(method);
        // The thread is the publisher's, so that there is none to join.
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName(method.toString());
        TransactionStatus status = manager.getTransaction(definition);
        try {
            if (inbox.get().mark(event.id().toString())) {
                work.run();
            } else {
                log.info("Already processed: event {} of type {} is not handled again", event.id(), event.type());
            }
        } catch (Exception | Error e) {
            rollBack(manager, status, e);
            throw e;
        }
        manager.commit(status);
    }

    private static void rollBack(PlatformTransactionManager manager, TransactionStatus status, Throwable because) {
        try {
            manager.rollback(status);
        } catch (RuntimeException | Error e) {
            because.addSuppressed(e);
        }
    }
}
