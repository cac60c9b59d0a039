package dev.postrider.internal.spring.listener;

import dev.postrider.OutboxEvent;
import dev.postrider.kafka.consume.ReceivedEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** What an event that is written and one that is received have in common. Without Kafka's module none is received. */
public record EventView(
        String id, @Nullable String aggregateType, @Nullable String aggregateId) {
    private static final boolean WITH_KAFKA =
            ClassUtils.isPresent("dev.postrider.kafka.consume.ReceivedEvent", EventView.class.getClassLoader());

    public static boolean isEvent(Class<?> type) {
        return type == OutboxEvent.class || WITH_KAFKA && Received.isEvent(type);
    }

    public static EventView of(Object event) {
        if (event instanceof OutboxEvent written) {
            return new EventView(written.id().toString(), written.aggregateType(), written.aggregateId());
        }
        return Received.of(event);
    }

    /** Loaded only if Kafka's module is there. */
    private static final class Received {
        private static boolean isEvent(Class<?> type) {
            return type == ReceivedEvent.class;
        }

        private static EventView of(Object event) {
            ReceivedEvent received = (ReceivedEvent) event;
            return new EventView(received.id(), received.aggregateType(), received.aggregateId());
        }
    }
}
