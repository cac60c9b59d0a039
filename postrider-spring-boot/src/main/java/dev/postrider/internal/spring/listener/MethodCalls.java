package dev.postrider.internal.spring.listener;

import dev.postrider.PostriderException;
import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.event.UnreadablePayloadException;
import dev.postrider.kafka.consume.Outages;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/** Calls a listener's method by Spring Kafka's adapter, and tells how it went. The containers' threads. */
final class MethodCalls {
    private final ListenerMethod method;
    private final Object adapter;
    private final HandlingScope scope;

    /**
     * @param adapter Spring Kafka's, for batches or single records as the method is
     */
    MethodCalls(ListenerMethod method, Object adapter, HandlingScope scope) {
        this.method = method;
        this.adapter = adapter;
        this.scope = scope;
    }

    boolean takesBatches() {
        return method.batch();
    }

    Outcome call(List<EventRecord> records, @Nullable Consumer<?, ?> consumer) {
        OwnAcknowledgment acknowledgment = new OwnAcknowledgment();
        try {
            if (records.size() == 1) {
                ReceivedEvent event = records.get(0).event();
                scope.run(
                        name -> header(event, name),
                        event.origin().topic(),
                        event.id(),
                        () -> invoke(records, acknowledgment, consumer));
            } else {
                invoke(records, acknowledgment, consumer);
            }
        } catch (Throwable e) {
            // Errors too: a document nested too deeply must not stop the container.
            return failed(causeOf(e));
        } finally {
            acknowledgment.end();
            // A flag that the method left behind would fail the next commit.
            Thread.interrupted();
        }
        if (acknowledgment.notNow() != null) {
            return new Outcome.NotNow(acknowledgment.notNow());
        }
        return method.acknowledges() && !acknowledgment.isAcknowledged()
                ? failed(new PostriderException(method.name()
                        + " takes an Acknowledgment and has returned without acknowledging. Call acknowledge() when the work is"
                        + " done, nack(..) to have it later, or remove the parameter."))
                : new Outcome.Handled();
    }

    private static @Nullable String header(ReceivedEvent event, String name) {
        String header = event.headers().get(name);
        return header != null ? header : event.extensions().get(name);
    }

    @SuppressWarnings("unchecked")
    private void invoke(
            List<EventRecord> records, OwnAcknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        if (method.batch()) {
            ((BatchAcknowledgingConsumerAwareMessageListener<byte[], byte[]>) adapter)
                    .onMessage((List<ConsumerRecord<byte[], byte[]>>) (List<?>) records, acknowledgment, consumer);
        } else {
            ((AcknowledgingConsumerAwareMessageListener<byte[], byte[]>) adapter)
                    .onMessage(records.get(0), acknowledgment, consumer);
        }
    }

    private static Outcome failed(Throwable error) {
        if (error instanceof UnreadablePayloadException) {
            return new Outcome.Failed(error, true);
        }
        return Outages.ofTheDatabase(error) ? new Outcome.Outage(error) : new Outcome.Failed(error, false);
    }

    /** What the method has thrown, without what Spring Kafka says about it. */
    private static Throwable causeOf(Throwable thrown) {
        return thrown instanceof ListenerExecutionFailedException && thrown.getCause() != null
                ? thrown.getCause()
                : thrown;
    }
}
