package com.acme;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What is tested where a page is about testing. */
final class OrderService {
    private final DataSource dataSource;
    private final Outbox outbox;

    OrderService(DataSource dataSource, Outbox outbox) {
        this.dataSource = dataSource;
        this.outbox = outbox;
    }

    void place(String order) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            outbox.write(
                    connection,
                    OutboxEvent.builder("acme.order.placed.v1")
                            .aggregate("order", order)
                            .json("{\"order\":\"%s\"}".formatted(order))
                            .build());
            connection.commit();
        }
    }
}
