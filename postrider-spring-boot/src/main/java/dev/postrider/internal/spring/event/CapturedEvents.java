package dev.postrider.internal.spring.event;

import dev.postrider.Outbox;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Writes what the application publishes by {@code ApplicationEventPublisher}, if it is mapped: on the publishing thread and
 * in its transaction, so that a failure to write fails what published it. What is not mapped is none of its business.
 */
public final class CapturedEvents implements ApplicationListener<PayloadApplicationEvent<?>> {
    private final Outbox outbox;
    private final MappedEvents mappings;

    public CapturedEvents(Outbox outbox, MappedEvents mappings) {
        this.outbox = outbox;
        this.mappings = mappings;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> published) {
        Object event = published.getPayload();
        if (mappings.knows(event)) {
            outbox.write(event);
        }
    }

    /** Another thread is not in the transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
