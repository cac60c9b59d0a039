package com.acme;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

final class Payments {
    private final Outbox outbox = Outbox.builder().source("payments").build();
    private final DataSource dataSource;

    Payments(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void transfer(int from, int to, long amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            // Here your own statements move the money, on the same connection.
            outbox.write(
                    connection,
                    OutboxEvent.builder("acme.transfer.completed.v1")
                            .aggregate("account", String.valueOf(from))
                            .json("{\"from\": %d, \"to\": %d, \"amount\": %d}".formatted(from, to, amount))
                            .build());
            connection.commit(); // the money and the event, or neither
        }
    }
}
