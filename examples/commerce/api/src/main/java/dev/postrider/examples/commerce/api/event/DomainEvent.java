package dev.postrider.examples.commerce.api.event;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Something that has happened. Whoever has to know all kinds is a {@link Visitor}: Java 17 has no {@code switch} over sealed types,
 * and so the compiler finds whoever has forgotten a new kind all the same.
 */
public sealed interface DomainEvent {

    Instant occurredAt();

    <R> R accept(Visitor<R> visitor);

    /** Knows what to do with each kind of event. */
    interface Visitor<R> {
        R on(OrderCreated event);

        R on(OrderCanceled event);

        R on(OrderPaid event);

        R on(PaymentCreated event);

        R on(PaymentPaid event);

        R on(PaymentFailed event);

        R on(LikeCreated event);

        R on(LikeCanceled event);

        R on(ProductViewed event);

        R on(StockDepleted event);
    }

    record Item(long productId, int quantity) {}

    record OrderCreated(Instant occurredAt, UUID orderId, String customer, List<Item> items, BigDecimal total)
            implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record OrderCanceled(Instant occurredAt, UUID orderId, List<Item> items) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record OrderPaid(Instant occurredAt, UUID orderId, UUID paymentId, List<Item> items) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record PaymentCreated(Instant occurredAt, UUID paymentId, UUID orderId, BigDecimal amount) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record PaymentPaid(Instant occurredAt, UUID paymentId, UUID orderId, BigDecimal amount) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record PaymentFailed(Instant occurredAt, UUID paymentId, UUID orderId, String reason) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record LikeCreated(Instant occurredAt, long productId, String user) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record LikeCanceled(Instant occurredAt, long productId, String user) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record ProductViewed(Instant occurredAt, long productId, String user) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }

    record StockDepleted(Instant occurredAt, long productId) implements DomainEvent {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.on(this);
        }
    }
}
