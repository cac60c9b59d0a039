package dev.postrider;

import dev.postrider.EventMapping.Serializer;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** Makes payloads of domain events, by serializers that belong to the user. */
final class Payloads {
    private Payloads() {}

    static <D> Serializer<D, Payload> json(Serializer<D, String> serializer) {
        Objects.requireNonNull(serializer, "serializer");
        return event ->
                Payload.json(Objects.requireNonNull(serializer.serialize(event), "what the serializer returned"));
    }

    static <D> Serializer<D, Payload> bytes(String contentType, Serializer<D, byte[]> serializer) {
        Objects.requireNonNull(contentType, "contentType");
        Objects.requireNonNull(serializer, "serializer");
        return event -> Payload.bytes(
                Objects.requireNonNull(serializer.serialize(event), "what the serializer returned"), contentType);
    }

    static Serializer<Object, String> jackson(JsonMapper mapper) {
        Objects.requireNonNull(mapper, "mapper");
        return mapper::writeValueAsString;
    }

    /** None; the description gives the payload. */
    static Serializer<Object, Payload> none() {
        return event -> {
            throw new PostriderException("There is no serializer, and the description gave no payload. Call json(..) or"
                    + " bytes(..) of the mapping's builder, or json(..) or payload(..) of the event's.");
        };
    }

    /** The event that is described, with the payload that was given with it, or else one by the serializer. */
    static <D> OutboxEvent complete(
            D domainEvent, OutboxEvent.Builder described, Serializer<? super D, Payload> serializer) {
        return described.hasPayload() ? described.build() : described.build(serialize(domainEvent, serializer));
    }

    private static <D> Payload serialize(D domainEvent, Serializer<? super D, Payload> serializer) {
        try {
            return serializer.serialize(domainEvent);
        } catch (Exception e) {
            // Other people's messages may have the payload in them.
            String reason = e instanceof PostriderException ? ": " + e.getMessage() : ". Nothing was written.";
            throw new PostriderException(
                    "The payload of a " + domainEvent.getClass().getName() + " cannot be made" + reason, e);
        }
    }
}
