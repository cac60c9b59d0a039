package dev.postrider.examples.logistics.relay;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.logistics.orders.JdbcOrders;
import dev.postrider.examples.logistics.orders.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of a test, as this system sets it up, on a server that all tests share. */
record Database(PGSimpleDataSource dataSource) {
    static final OutboxTable OUTBOX = OutboxTable.parse("outbox_events");
    private static final Path SCRIPTS = Path.of("..", "database");

    static Database create(String name) {
        DevPostgres server = DevPostgres.shared();
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(server.createDatabase(name));
        dataSource.setUser(server.user());
        dataSource.setPassword(server.password());
        Database database = new Database(dataSource);
        database.runScript("orders.sql");
        OutboxSchema.migrate(dataSource, OUTBOX, OutboxLayout.claim());
        database.runScript("outbox_in_our_words.sql");
        return database;
    }

    void runScript(String name) {
        try {
            run(Files.readString(SCRIPTS.resolve(name)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** As Node's driver wants it. */
    String nodeUrl() {
        return String.valueOf(dataSource.getUrl())
                .replace(
                        "jdbc:postgresql://",
                        "postgres://" + dataSource.getUser() + ":" + dataSource.getPassword() + "@")
                .replaceAll("\\?.*", "");
    }

    JdbcOrders orders() {
        return new JdbcOrders(dataSource);
    }

    Order place() throws SQLException {
        return orders().place("Ada", "12 St James's Square, London", List.of(new Order.Item("cup-1", 2)));
    }

    /** By plain SQL, with nothing but what has no default. */
    UUID insert(String aggregateId, String payload) {
        return UUID.fromString(ask("""
                insert into outbox_events (event_type, aggregate_type, aggregate_id, payload)
                values ('logistics.order.placed', 'order', ?, ?::json) returning event_id
                """, aggregateId, payload));
    }

    /** In the words of this system. */
    String statusOf(UUID event) {
        return ask("select status from order_event_status where message_id = ?::uuid", event);
    }

    void run(String sql) {
        try (Connection connection = dataSource.getConnection()) {
            run(connection, sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    int count(String sql, Object... values) {
        return Integer.parseInt(ask(sql, values));
    }

    /** The first value of the first row. */
    String ask(String sql, Object... values) {
        return String.valueOf(list(sql, values).get(0));
    }

    /** The first value of each row. */
    List<@Nullable String> list(String sql, Object... values) {
        try (Connection connection = dataSource.getConnection()) {
            return list(connection, sql, values);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static List<@Nullable String> list(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i].toString());
            }
            List<@Nullable String> answers = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    answers.add(rows.getString(1));
                }
            }
            return answers;
        }
    }
}
