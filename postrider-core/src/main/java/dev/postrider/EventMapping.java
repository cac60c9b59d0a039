package dev.postrider;

import java.util.Objects;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns domain events into outbox events, so that domain types need not know about Postrider, brokers or JSON.
 *
 * <p>A description says what an event is called, which aggregate it belongs to, and whatever else an {@link
 * OutboxEvent.Builder} takes: key, headers, request id, times, retries. A serializer makes the payload, unless the
 * description has set one. The compiler makes sure that no event is forgotten, if the description is a visitor (or from
 * Java 21 on a {@code switch}) over a sealed type; otherwise {@link #forSealed} checks it when the mapping is built.
 *
 * @param <D> the domain's event type
 */
@FunctionalInterface
public interface EventMapping<D> {

    OutboxEvent toEvent(D domainEvent);

    /**
     * Makes the body of an event. If it throws, the exception is wrapped and nothing is written.
     *
     * @param <T> text or bytes
     */
    @FunctionalInterface
    interface Serializer<D, T> {
        T serialize(D domainEvent) throws Exception;
    }

    /**
     * The payload is a JSON document, as text.
     *
     * @param serializer of any library, for example {@code mapper::writeValueAsString}
     */
    static <D> EventMapping<D> json(
            Serializer<? super D, String> serializer, Function<? super D, OutboxEvent.Builder> description) {
        return new DescribedMapping<>(Payloads.json(serializer), description);
    }

    /** The payload is the domain event as JSON, written by Jackson 3, which Postrider itself uses. */
    static <D> EventMapping<D> json(JsonMapper mapper, Function<? super D, OutboxEvent.Builder> description) {
        return json(Payloads.jackson(mapper), description);
    }

    /** The payload has another format. */
    static <D> EventMapping<D> bytes(
            String contentType,
            Serializer<? super D, byte[]> serializer,
            Function<? super D, OutboxEvent.Builder> description) {
        return new DescribedMapping<>(Payloads.bytes(contentType, serializer), description);
    }

    /**
     * A mapping by class, for a sealed type. {@link ClassMapping.Builder#build} fails if a class is missing that the
     * type permits, or that one of those permits.
     *
     * @throws PostriderException if the type is not sealed
     */
    static <D> ClassMapping.Builder<D> forSealed(Class<D> type) {
        return ClassMapping.forSealed(Objects.requireNonNull(type, "type"));
    }

    /** A mapping by class, for any type. A missing class is noticed only when such an event is written. */
    static <D> ClassMapping.Builder<D> forOpen(Class<D> type) {
        return ClassMapping.forOpen(Objects.requireNonNull(type, "type"));
    }
}
