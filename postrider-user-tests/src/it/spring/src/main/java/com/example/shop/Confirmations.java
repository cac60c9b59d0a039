package com.example.shop;

import dev.postrider.OutboxEvent;
import dev.postrider.spring.OutboxHandler;
import org.springframework.jdbc.core.JdbcTemplate;

/** No bean of this application, which sends its events to Kafka. */
class Confirmations {
    private final JdbcTemplate jdbc;

    Confirmations(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler("shop.order.placed")
    void confirm(OrderPlaced placed) {
        System.out.println("Thank you for order " + placed.orderId());
    }

    @OutboxHandler(value = "shop.order.shipped", once = true)
    void bill(OutboxEvent event) {
        jdbc.update("insert into invoice (order_id) values (?)", event.aggregateId());
    }
}
