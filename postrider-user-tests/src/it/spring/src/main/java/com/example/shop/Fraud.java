package com.example.shop;

import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.HandleOnce;
import dev.postrider.spring.PostriderListener;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

/** No bean of this application: only what methods with annotations can look like. */
class Fraud {
    private final JdbcTemplate jdbc;

    Fraud(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @PostriderListener("order-events")
    @Transactional
    @HandleOnce
    public void assess(ReceivedEvent event) {
        jdbc.update("insert into risk (order_id) values (?)", event.aggregateId());
    }

    @PostriderListener("order-events")
    void placed(OrderPlaced placed, @Header("ce_id") String id, Acknowledgment acknowledgment) {
        jdbc.update("insert into seen (event_id, cents) values (?, ?)", id, placed.cents());
        acknowledgment.acknowledge();
    }

    @PostriderListener(topics = "order-events", groupId = "statistics", concurrency = "3")
    @Transactional
    @HandleOnce(consumer = "statistics")
    public void count(List<ReceivedEvent> events) {
        jdbc.update("update statistic set orders = orders + ?", events.size());
    }

    @Transactional
    @HandleOnce(
            consumer = "statistics",
            aggregateType = "ProductView",
            aggregateId = "#product + '_' + #eventId",
            action = "VIEW_COUNT_INCREASED")
    public void viewed(String product, String eventId) {
        jdbc.update("update product_statistic set views = views + 1 where product = ?", product);
    }
}
