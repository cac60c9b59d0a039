package dev.postrider.spring.test;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.time.Instant;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Writes events in every way. */
@Service
class Orders {
    private final JdbcTemplate jdbc;
    private final Outbox outbox;

    Orders(JdbcTemplate jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    public void place(String orderId, long cents) {
        jdbc.update("insert into orders (id, cents) values (?, ?)", orderId, cents);
        outbox.write(new OrderPlaced(orderId, cents));
    }

    @Transactional
    public void remind(String orderId, Instant at) {
        outbox.write(OutboxEvent.builder("shop.order.reminder")
                .aggregate("order", orderId)
                .header("channel", "mail")
                .json("{}")
                .deliverAfter(at)
                .build());
    }

    /** As a trigger, or a program in another language. */
    @Transactional
    public void cancelBySql(String orderId) {
        jdbc.update(
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('shop.order.cancelled', 'order', ?, '{}')",
                orderId);
    }
}
