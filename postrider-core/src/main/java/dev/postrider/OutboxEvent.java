package dev.postrider;

import dev.postrider.internal.write.UuidV7;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event as it is written to an outbox and handed to a publisher: the attributes of a CloudEvent
 * plus what Postrider needs to deliver it.
 *
 * @param id identifies the event everywhere and for ever; consumers deduplicate by it
 * @param type what happened; by convention {@code company.domain.action.v1}
 * @param aggregateType kind of thing that it happened to
 * @param aggregateId which one
 * @param payload the body
 * @param key events with the same key keep their order; null means aggregate type and id
 * @param source where it comes from; null means the outbox's or the publisher's default
 * @param headers travel with the message, for example {@code traceparent}
 * @param occurredAt when it happened; null means when it is written, by the database's clock
 * @param requestId unique among all events of the outbox if given: the same request writes once
 * @param deliverAfter not delivered before this time of the database's clock; null means at once
 * @param maxRetries overrides the relay's number of retries for this event; null means no override
 */
public record OutboxEvent(
        UUID id,
        String type,
        String aggregateType,
        String aggregateId,
        Payload payload,
        @Nullable String key,
        @Nullable String source,
        Map<String, String> headers,
        @Nullable Instant occurredAt,
        @Nullable String requestId,
        @Nullable Instant deliverAfter,
        @Nullable Integer maxRetries) {

    public OutboxEvent {
        Objects.requireNonNull(id, "id");
        requireText(type, "type");
        requireText(aggregateType, "aggregateType");
        requireText(aggregateId, "aggregateId");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(headers, "headers").forEach(OutboxEvent::requireHeader);
        headers = Map.copyOf(headers);
        if (maxRetries != null && maxRetries < 0) {
            throw new PostriderException("maxRetries is " + maxRetries + "; it must be 0 or more.");
        }
    }

    public static Builder builder(String type) {
        return new Builder(type);
    }

    /** The key of the message at the broker: the given key, or else the aggregate's id. */
    public String messageKey() {
        return key != null ? key : aggregateId;
    }

    OutboxEvent withSource(String newSource) {
        return new OutboxEvent(
                id,
                type,
                aggregateType,
                aggregateId,
                payload,
                key,
                newSource,
                headers,
                occurredAt,
                requestId,
                deliverAfter,
                maxRetries);
    }

    /** With these headers beside its own, unless it has one of them: parts of two contexts would be neither. */
    OutboxEvent withContext(Map<String, String> context) {
        if (context.isEmpty() || !Collections.disjoint(context.keySet(), headers.keySet())) {
            return this;
        }
        Map<String, String> all = new HashMap<>(headers);
        all.putAll(context);
        return new OutboxEvent(
                id,
                type,
                aggregateType,
                aggregateId,
                payload,
                key,
                source,
                all,
                occurredAt,
                requestId,
                deliverAfter,
                maxRetries);
    }

    private static void requireText(@Nullable String value, String name) {
        if (value == null || value.isBlank()) {
            throw new PostriderException("An event needs its " + name + "; it is empty.");
        }
    }

    private static void requireHeader(@Nullable String name, @Nullable String value) {
        Objects.requireNonNull(name, "name of a header");
        Objects.requireNonNull(value, () -> "value of header " + name);
    }

    /** Collects an event. Type, aggregate and payload are required. */
    public static final class Builder {
        private final String type;
        private @Nullable UUID id;
        private @Nullable String aggregateType;
        private @Nullable String aggregateId;
        private @Nullable Payload payload;
        private @Nullable String key;
        private @Nullable String source;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable Instant occurredAt;
        private @Nullable String requestId;
        private @Nullable Instant deliverAfter;
        private @Nullable Integer maxRetries;

        private Builder(String type) {
            requireText(type, "type");
            this.type = type;
        }

        /** Default: a new UUIDv7. */
        public Builder id(UUID id) {
            this.id = Objects.requireNonNull(id, "id");
            return this;
        }

        public Builder aggregate(String type, String id) {
            requireText(type, "aggregateType");
            requireText(id, "aggregateId");
            this.aggregateType = type;
            this.aggregateId = id;
            return this;
        }

        public Builder payload(Payload payload) {
            this.payload = Objects.requireNonNull(payload, "payload");
            return this;
        }

        /** A JSON document, kept exactly as written. */
        public Builder json(String document) {
            return payload(Payload.json(document));
        }

        /** Default: aggregate type and id. */
        public Builder key(@Nullable String key) {
            this.key = key;
            return this;
        }

        /** Default: the source of the outbox. */
        public Builder source(@Nullable String source) {
            this.source = source;
            return this;
        }

        public Builder header(String name, String value) {
            requireHeader(name, value);
            headers.put(name, value);
            return this;
        }

        public Builder headers(Map<String, String> more) {
            Objects.requireNonNull(more, "headers").forEach(this::header);
            return this;
        }

        /** Default: the moment of the insert, by the database's clock. */
        public Builder occurredAt(@Nullable Instant time) {
            this.occurredAt = time;
            return this;
        }

        /** Default: none. */
        public Builder requestId(@Nullable String requestId) {
            this.requestId = requestId;
            return this;
        }

        /** Default: at once. */
        public Builder deliverAfter(@Nullable Instant time) {
            this.deliverAfter = time;
            return this;
        }

        /** Default: the relay's setting. */
        public Builder maxRetries(@Nullable Integer maxRetries) {
            this.maxRetries = maxRetries;
            return this;
        }

        public OutboxEvent build() {
            if (payload == null) {
                throw new PostriderException("Event " + type + " has no payload; call json(..) or payload(..).");
            }
            return build(payload);
        }

        boolean hasPayload() {
            return payload != null;
        }

        /** With this payload, which the builder does not keep: the next event of the same builder has its own. */
        OutboxEvent build(Payload payload) {
            if (aggregateType == null || aggregateId == null) {
                throw new PostriderException("Event " + type + " has no aggregate; call aggregate(type, id).");
            }
            return new OutboxEvent(
                    id != null ? id : UuidV7.next(),
                    type,
                    aggregateType,
                    aggregateId,
                    payload,
                    key,
                    source,
                    headers,
                    occurredAt,
                    requestId,
                    deliverAfter,
                    maxRetries);
        }
    }
}
