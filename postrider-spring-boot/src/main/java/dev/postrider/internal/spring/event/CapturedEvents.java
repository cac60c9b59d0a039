package dev.postrider.internal.spring.event;

import dev.postrider.Outbox;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.transaction.BegunTransactions;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Writes what the application publishes by {@code ApplicationEventPublisher}, if it is mapped: on the publishing thread and
 * in its transaction. If that fails, publishing throws; and the transaction does not commit even if somebody catches what was
 * thrown, such as an error handler of listeners, one of which had published the event. What is not mapped is none of its
 * business.
 */
public final class CapturedEvents implements SmartInitializingSingleton {
    private final Supplier<Outbox> outbox;
    private final MappedEvents mappings;
    private final BegunTransactions transactions;
    private final BeanFactory beans;

    /**
     * @param outbox asked for when there is the first mapped event: some events are published while beans are made, and nothing
     *     but their mappings needs to be there then
     */
    public CapturedEvents(
            Supplier<Outbox> outbox, MappedEvents mappings, BegunTransactions transactions, BeanFactory beans) {
        this.outbox = outbox;
        this.mappings = mappings;
        this.transactions = transactions;
        this.beans = beans;
        transactions.flushBeforeCommit();
    }

    /** Whoever has set the property relies on it: that nothing would be captured is no matter for the log. */
    @Override
    public void afterSingletonsInstantiated() {
        String name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        if (!EventCapture.isAround(beans.getBean(name))) {
            throw new PostriderStartException(
                    "postrider.capture-events is set, and the events of this application cannot be captured: its '"
                            + name + "' is an object that was registered, not a bean that post-processors see.",
                    "Declare it as a bean, or set postrider.capture-events=false and call Outbox.write.");
        }
    }

    void capture(ApplicationEvent published) {
        Object event = published instanceof PayloadApplicationEvent<?> payload ? payload.getPayload() : published;
        try {
            if (mappings.knows(event)) {
                outbox.get().write(event);
            }
        } catch (RuntimeException | Error e) {
            transactions.fail(event.getClass().getName() + " was published, and could not be written to the outbox", e);
            throw e;
        }
    }
}
