package dev.postrider;

import java.util.Objects;
import java.util.function.Function;

/** A mapping by one description for all events. */
record DescribedMapping<D>(
        EventMapping.Serializer<? super D, Payload> serializer, Function<? super D, OutboxEvent.Builder> description)
        implements EventMapping<D> {

    DescribedMapping {
        Objects.requireNonNull(description, "description");
    }

    @Override
    public OutboxEvent toEvent(D domainEvent) {
        Objects.requireNonNull(domainEvent, "domainEvent");
        OutboxEvent.Builder described =
                Objects.requireNonNull(description.apply(domainEvent), "what the description returned");
        return Payloads.complete(domainEvent, described, serializer);
    }
}
