package com.example.shop;

import dev.postrider.EventMapping;
import dev.postrider.OutboxEvent;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.jdbc.core.JdbcTemplate;
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

    @Bean
    @DependsOn("postriderOutbox")
    InitializingBean ordersOnTheirWay(JdbcTemplate jdbc) {
        return () -> jdbc.execute(
                "create or replace view order_outbox as select aggregate_id as order_id, created_at from outbox");
    }
}
