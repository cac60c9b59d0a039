package dev.postrider;

import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns domain events into outbox events, so that domain types need to know nothing of Postrider,
 * brokers or JSON.
 *
 * <p>What an event is called and which aggregate it belongs to is said by a function of yours. Write
 * it over a sealed interface as an exhaustive {@code switch} (or a visitor on Java 17), and the
 * compiler refuses an event type nobody has named.
 *
 * @param <D> the domain's event type
 */
@FunctionalInterface
public interface EventMapping<D> {

    OutboxEvent toEvent(D domainEvent);

    /** The payload is the domain event as JSON, written by {@code mapper}. */
    static <D> EventMapping<D> json(JsonMapper mapper, Function<? super D, Description> resolver) {
        return domainEvent -> {
            Description description = resolver.apply(domainEvent);
            return OutboxEvent.builder(description.type())
                    .aggregate(description.aggregateType(), description.aggregateId())
                    .payload(new Payload(toJson(mapper, domainEvent), Payload.JSON))
                    .build();
        };
    }

    private static byte[] toJson(JsonMapper mapper, Object domainEvent) {
        try {
            return mapper.writeValueAsBytes(domainEvent);
        } catch (JacksonException e) {
            throw new PostriderException(
                    "A " + domainEvent.getClass().getName() + " cannot be written as JSON. Nothing was written.", e);
        }
    }

    /** What a resolver says of a domain event. */
    record Description(String type, String aggregateType, String aggregateId) {}
}
