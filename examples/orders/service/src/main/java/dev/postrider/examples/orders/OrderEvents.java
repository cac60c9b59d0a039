package dev.postrider.examples.orders;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import dev.postrider.examples.orders.OrderEvent.OrderChanged;
import dev.postrider.examples.orders.OrderEvent.OrderPlaced;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** What order events are called outside. Both types lead to the topic {@code order-events}. */
@Configuration(proxyBeanMethods = false)
class OrderEvents {

    @Bean
    EventMapping<OrderEvent> orderEventMapping(JsonMapper json) {
        return EventMapping.forSealed(OrderEvent.class)
                .json(json)
                .on(OrderPlaced.class, event -> described("shop.order.placed", event))
                .on(OrderChanged.class, event -> described("shop.order.changed", event))
                .build();
    }

    private static OutboxEvent.Builder described(String type, OrderEvent event) {
        return OutboxEvent.builder(type)
                .id(event.eventId())
                .occurredAt(event.occurredAt())
                .aggregate("order", event.order().id().toString());
    }
}
