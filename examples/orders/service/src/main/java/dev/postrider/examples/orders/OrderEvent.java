package dev.postrider.examples.orders;

import java.time.Instant;
import java.util.UUID;

/** What happened to an order. It has the whole order, so that nobody who reads it has to ask us. */
public sealed interface OrderEvent {

    /** Identifies the event everywhere: it is the id of its row in the outbox too. */
    UUID eventId();

    Instant occurredAt();

    Order order();

    record OrderPlaced(UUID eventId, Instant occurredAt, Order order) implements OrderEvent {
        static OrderPlaced now(Order order) {
            return new OrderPlaced(UUID.randomUUID(), Instant.now(), order);
        }
    }

    record OrderChanged(UUID eventId, Instant occurredAt, Order order) implements OrderEvent {
        static OrderChanged now(Order order) {
            return new OrderChanged(UUID.randomUUID(), Instant.now(), order);
        }
    }
}
