package dev.postrider.examples.commerce.api;

import dev.postrider.OutboxEvent;
import dev.postrider.examples.commerce.api.event.DomainEvent;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderPaid;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentFailed;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentPaid;
import dev.postrider.examples.commerce.api.event.DomainEvent.ProductViewed;
import dev.postrider.examples.commerce.api.event.DomainEvent.StockDepleted;

/**
 * The envelope that each event travels in. Its type leads to the topic: {@code acme.order.paid.v1} to {@code order-events}. The
 * aggregate's id is the key, so that everything of one order, payment or product keeps its order.
 */
final class EventEnvelopes implements DomainEvent.Visitor<OutboxEvent.Builder> {

    @Override
    public OutboxEvent.Builder on(OrderCreated event) {
        return envelope("order.created", "Order", event.orderId(), event);
    }

    @Override
    public OutboxEvent.Builder on(OrderCanceled event) {
        return envelope("order.canceled", "Order", event.orderId(), event);
    }

    @Override
    public OutboxEvent.Builder on(OrderPaid event) {
        return envelope("order.paid", "Order", event.orderId(), event);
    }

    @Override
    public OutboxEvent.Builder on(PaymentCreated event) {
        return envelope("payment.created", "Payment", event.paymentId(), event);
    }

    @Override
    public OutboxEvent.Builder on(PaymentPaid event) {
        return envelope("payment.paid", "Payment", event.paymentId(), event);
    }

    @Override
    public OutboxEvent.Builder on(PaymentFailed event) {
        return envelope("payment.failed", "Payment", event.paymentId(), event);
    }

    @Override
    public OutboxEvent.Builder on(LikeCreated event) {
        return envelope("like.created", "ProductLike", event.productId(), event);
    }

    @Override
    public OutboxEvent.Builder on(LikeCanceled event) {
        return envelope("like.canceled", "ProductLike", event.productId(), event);
    }

    @Override
    public OutboxEvent.Builder on(ProductViewed event) {
        return envelope("product.viewed", "ProductView", event.productId(), event);
    }

    @Override
    public OutboxEvent.Builder on(StockDepleted event) {
        return envelope("stock.depleted", "Stock", event.productId(), event);
    }

    private static OutboxEvent.Builder envelope(String what, String aggregateType, Object id, DomainEvent event) {
        return OutboxEvent.builder("acme." + what + ".v1")
                .aggregate(aggregateType, id.toString())
                .occurredAt(event.occurredAt());
    }
}
