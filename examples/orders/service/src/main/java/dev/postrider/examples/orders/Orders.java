package dev.postrider.examples.orders;

import dev.postrider.Outbox;
import dev.postrider.examples.orders.OrderEvent.OrderChanged;
import dev.postrider.examples.orders.OrderEvent.OrderPlaced;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** The orders, and an event for whatever happens to one: both are committed, or neither is. */
@Service
public class Orders {
    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final Outbox outbox;

    public Orders(JdbcClient jdbc, JsonMapper json, Outbox outbox) {
        this.jdbc = jdbc;
        this.json = json;
        this.outbox = outbox;
    }

    @Transactional
    public Order place(OrderRequest request) {
        Order order = Order.placed(UUID.randomUUID(), request);
        jdbc.sql("insert into orders (id, version, document) values (?, ?, ?::jsonb)")
                .params(order.id(), order.version(), json.writeValueAsString(order))
                .update();
        outbox.write(OrderPlaced.now(order));
        return order;
    }

    @Transactional
    public Order change(UUID id, OrderRequest request) {
        // Locked, so that two changes of an order are events in the order of their versions.
        Order order =
                read(id, "select document from orders where id = ? for update").changed(request);
        jdbc.sql("update orders set version = ?, document = ?::jsonb where id = ?")
                .params(order.version(), json.writeValueAsString(order), id)
                .update();
        outbox.write(OrderChanged.now(order));
        return order;
    }

    public Order get(UUID id) {
        return read(id, "select document from orders where id = ?");
    }

    private Order read(UUID id, String sql) {
        return jdbc.sql(sql)
                .param(id)
                .query(String.class)
                .optional()
                .map(document -> json.readValue(document, Order.class))
                .orElseThrow(() -> new UnknownOrderException(id));
    }
}
