package com.example.shop;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

@Configuration
class Shipping {
    @Bean
    EventMapping<OrderShipped> orderShipped(JsonMapper json) {
        return EventMapping.json(
                json,
                event -> OutboxEvent.builder("shop.order.shipped")
                        .aggregate("order", event.order())
                        .header("customer", event.customer()));
    }
}
