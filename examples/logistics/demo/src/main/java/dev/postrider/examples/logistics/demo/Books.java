package dev.postrider.examples.logistics.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

/** What the database says, in the words of this system. */
final class Books {
    private final DataSource database;

    Books(DataSource database) {
        this.database = database;
    }

    void run(Path script) throws IOException, SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(script));
        }
    }

    int events(String status) {
        return number("select count(*) from order_event_status where status = ?", status);
    }

    int events() {
        return number("select count(*) from outbox_events where event_type <> ?", "");
    }

    /** How many rows a worker holds that were claimed and not yet answered. */
    int heldBy(String worker) {
        return number("select count(*) from outbox_events where status = 'SENDING' and locked_by like ?", worker + "%");
    }

    /** Of the only event of an order. */
    String statusOf(UUID order) {
        return ask("select status from order_event_status where aggregate_id = ?", order.toString());
    }

    String errorOf(UUID order) {
        return ask("select last_error from order_event_status where aggregate_id = ?", order.toString());
    }

    int retriesOf(UUID order) {
        return number("select retry_count from order_event_status where aggregate_id = ?", order.toString());
    }

    /** The number under which alerts name it. */
    String rowOf(UUID order) {
        return ask("select id from outbox_events where aggregate_id = ?", order.toString());
    }

    boolean isTracked(UUID order) {
        return number("select count(*) from parcels where order_id = ?::uuid", order.toString()) == 1;
    }

    /** How many messages had an effect at tracking. */
    int stepsTracked() {
        return number("select coalesce(sum(steps), 0) from parcels where step <> ?", "");
    }

    /** Orders of which tracking knows another newest step than the order service. */
    int wrongParcels() {
        return number("""
                select count(*) from orders left join parcels on parcels.order_id = orders.id
                where parcels.step is distinct from orders.step and orders.step <> ?
                """, "");
    }

    private int number(String sql, String parameter) {
        return Integer.parseInt(ask(sql, parameter));
    }

    private String ask(String sql, String parameter) {
        try (Connection connection = database.getConnection();
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
