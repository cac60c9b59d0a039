package dev.postrider.examples.logistics.demo;

import dev.postrider.examples.logistics.orders.JdbcOrders;
import dev.postrider.examples.logistics.orders.Order;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** The same SQL as the service in Node sends, from this process. */
final class JdbcDesk implements OrderDesk {
    private final JdbcOrders orders;

    JdbcDesk(DataSource database) {
        orders = new JdbcOrders(database);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public UUID place(String destination) throws SQLException {
        return orders.place("Ada Lovelace", destination, List.of(new Order.Item("cup-1", 2)))
                .id();
    }

    @Override
    public void take(UUID order, String step) throws SQLException {
        orders.take(order, step);
    }
}
