package dev.postrider.examples.commerce.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the databases of the two applications say. */
final class Books {
    private final Database shop;
    private final Database statistics;

    /** One of them. */
    record Database(String url, String user, String password) {}

    private interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    Books(Database shop, Database statistics) {
        this.shop = shop;
        this.statistics = statistics;
    }

    Map<Long, Numbers> statistics() {
        Map<Long, Numbers> numbers = new TreeMap<>();
        ask(
                statistics,
                "select product_id, like_count, sales_count, view_count from product_statistic",
                row -> numbers.put(row.getLong(1), new Numbers(row.getLong(2), row.getLong(3), row.getLong(4))));
        return numbers;
    }

    /** Where the cursor is. */
    String cursor() {
        return ask(
                        shop,
                        "select seq || ' ' || lo::text || ' ' || last_id from outbox_cursor order by seq desc limit 1",
                        row -> row.getString(1))
                .get(0);
    }

    long failed() {
        return ask(shop, "select count(*) from outbox_failed", row -> row.getLong(1))
                .get(0);
    }

    /** Somebody's mistake: the event of an order that is paid, once more and under another id. */
    void payAgain(String order) {
        ask(shop, """
                insert into outbox (event_type, aggregate_type, aggregate_id, source, payload)
                select event_type, aggregate_type, aggregate_id, source, payload from outbox
                where event_type = 'acme.order.paid.v1' and aggregate_id = '%s' order by id limit 1
                returning id
                """.formatted(order), row -> row.getLong(1));
    }

    /** Somebody's mistake: a view that nobody can read. */
    void poison() {
        ask(shop, """
                insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                values ('acme.product.viewed.v1', 'ProductView', 'the blue one', '{"productId": "the blue one"}')
                returning id
                """, row -> row.getLong(1));
    }

    private static <T> List<T> ask(Database database, String sql, Row<T> reader) {
        try (Connection connection = DriverManager.getConnection(database.url(), database.user(), database.password());
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
