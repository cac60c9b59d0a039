package dev.postrider.examples.logistics.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Takes orders and their steps as {@code service.js} does, with the same statements, but without HTTP. */
public final class JdbcOrders {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Sql PLACE_ORDER = Sql.read("place-order");
    private static final Sql ORDER_PLACED = Sql.read("order-placed");
    private static final Sql TAKE_STEP = Sql.read("take-step");
    private static final Sql ORDER_MOVED = Sql.read("order-moved");

    private final DataSource dataSource;

    public JdbcOrders(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public Order place(String customer, String destination, List<Order.Item> items) throws SQLException {
        Order order = new Order(UUID.randomUUID(), customer, destination, items, "placed", 1);
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement placing = PLACE_ORDER.on(
                            connection, order.id(), customer, destination, JSON.writeValueAsString(items));
                    PreparedStatement event = ORDER_PLACED.on(connection, order.id(), JSON.writeValueAsString(order))) {
                placing.executeUpdate();
                event.executeUpdate();
            }
            connection.commit();
        }
        return order;
    }

    /**
     * Packed, shipped, delivered.
     *
     * @return the id of the event, which is ours
     */
    public UUID take(UUID id, String step) throws SQLException {
        UUID eventId = UUID.randomUUID();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Order order = move(connection, id, step);
            try (PreparedStatement event = ORDER_MOVED.on(
                    connection, eventId, "logistics.order." + step, id, JSON.writeValueAsString(order))) {
                event.executeUpdate();
            }
            connection.commit();
        }
        return eventId;
    }

    private static Order move(Connection connection, UUID id, String step) throws SQLException {
        try (PreparedStatement moving = TAKE_STEP.on(connection, step, id);
                ResultSet row = moving.executeQuery()) {
            if (!row.next()) {
                throw new IllegalArgumentException("There is no order " + id + ".");
            }
            return new Order(
                    id,
                    row.getString("customer"),
                    row.getString("destination"),
                    JSON.readValue(row.getString("items"), new TypeReference<List<Order.Item>>() {}),
                    row.getString("step"),
                    row.getInt("version"));
        }
    }
}
