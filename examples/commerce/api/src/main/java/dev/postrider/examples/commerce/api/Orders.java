package dev.postrider.examples.commerce.api;

import dev.postrider.Outbox;
import dev.postrider.examples.commerce.api.event.DomainEvent.Item;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderPaid;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The orders, and an event for whatever happens to one: both are committed, or neither is. */
@Service
public class Orders {
    private final JdbcClient jdbc;
    private final Catalog catalog;
    private final Outbox outbox;

    Orders(JdbcClient jdbc, Catalog catalog, Outbox outbox) {
        this.jdbc = jdbc;
        this.catalog = catalog;
        this.outbox = outbox;
    }

    @Transactional
    public Order create(Order.Request request) {
        UUID id = UUID.randomUUID();
        List<Item> items = items(request.lines());
        catalog.take(items);
        jdbc.sql("insert into orders (id, status, customer) values (?, 'CREATED', ?)")
                .params(id, request.customer())
                .update();
        for (Item item : items) {
            jdbc.sql("""
                    insert into order_item (order_id, product_id, quantity, price)
                    select ?, id, ?, price from product where id = ?
                    """).params(id, item.quantity(), item.productId()).update();
        }
        Order order = get(id);
        outbox.write(new OrderCreated(Instant.now(), id, order.customer(), items, order.total()));
        return order;
    }

    /** Each product once, however many lines of the order name it. */
    private static List<Item> items(List<Order.Line> lines) {
        Map<Long, Integer> quantities = new TreeMap<>();
        lines.forEach(line -> quantities.merge(line.productId(), line.quantity(), Integer::sum));
        return quantities.entrySet().stream()
                .map(entry -> new Item(entry.getKey(), entry.getValue()))
                .toList();
    }

    @Transactional
    public Order cancel(UUID id) {
        Order order = moveOn(id, Order.Status.CANCELED);
        catalog.putBack(order.items());
        outbox.write(new OrderCanceled(Instant.now(), id, order.items()));
        return order;
    }

    /** In the transaction of its payment. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void paid(UUID id, UUID payment) {
        Order order = moveOn(id, Order.Status.PAID);
        outbox.write(new OrderPaid(Instant.now(), id, payment, order.items()));
    }

    /** An order that is paid or canceled stays so. */
    private Order moveOn(UUID id, Order.Status to) {
        int changed = jdbc.sql("update orders set status = ? where id = ? and status = 'CREATED'")
                .params(to.name(), id)
                .update();
        Order order = get(id);
        if (changed == 0) {
            throw new NotPossibleException("Order " + id + " is " + order.status() + ".");
        }
        return order;
    }

    @Transactional
    public Order get(UUID id) {
        List<Item> items = jdbc.sql(
                        "select product_id, quantity from order_item where order_id = ? order by product_id")
                .param(id)
                .query(Item.class)
                .list();
        return jdbc.sql("""
                        select status, customer, (select sum(quantity * price) from order_item where order_id = id) as total
                        from orders where id = ?
                        """)
                .param(id)
                .query((row, number) -> new Order(
                        id,
                        Order.Status.valueOf(row.getString("status")),
                        row.getString("customer"),
                        items,
                        row.getObject("total", BigDecimal.class)))
                .optional()
                .orElseThrow(() -> new NotThereException("There is no order " + id + "."));
    }
}
