package dev.postrider.examples.orders.demo;

import dev.postrider.devservices.DevPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** What the service's database says, in the words of its view {@code order_outbox}. */
final class Books {
    private final DevPostgres postgres;

    Books(DevPostgres postgres) {
        this.postgres = postgres;
    }

    Map<String, Long> byStatus() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String status : new String[] {"NEW", "SENT", "FAILED"}) {
            counts.put(status, count(status));
        }
        return counts;
    }

    long count(String status) {
        return Long.parseLong(ask("select count(*) from order_outbox where status = ?", status));
    }

    String statusOf(UUID order) {
        return ask("select status from order_outbox where aggregate_id = ?", order.toString());
    }

    String errorOf(UUID order) {
        return ask("select error_message from order_outbox where aggregate_id = ?", order.toString());
    }

    int failedSendsOf(UUID order) {
        return Integer.parseInt(ask("select retry_count from order_outbox where aggregate_id = ?", order.toString()));
    }

    int retriesBy(String operator) {
        return Integer.parseInt(ask("select count(*) from outbox_audit where actor = ?", operator));
    }

    private String ask(String sql, String parameter) {
        try (Connection connection =
                        DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
