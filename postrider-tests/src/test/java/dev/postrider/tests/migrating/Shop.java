package dev.postrider.tests.migrating;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A service in the middle of its move: each of its transactions changes an order and writes an event, into whichever outbox the
 * switch in the database says. The number in the event is that of the change, counted in the order's row.
 */
final class Shop implements AutoCloseable {
    static final int ORDERS = 20;

    private final TestDatabase database;
    private final Outbox outbox = Outbox.builder().source("shop").build();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private volatile boolean knowsSwitch;
    private volatile boolean stopped;

    Shop(TestDatabase database) {
        this.database = database;
        database.execute("create table orders (id text primary key, changes int not null default 0)");
        for (int n = 0; n < ORDERS; n++) {
            database.execute("insert into orders (id) values ('order-" + n + "')");
        }
        database.execute(HandWrittenPoller.TABLE);
        database.execute("create table outbox_switch (target text not null)");
        database.execute("insert into outbox_switch values ('poller')");
    }

    /** With code that knows both outboxes. */
    void start(int writers) {
        knowsSwitch = true;
        startWriters(writers);
    }

    /** With code that has not been changed. */
    void startOldVersion(int writers) {
        startWriters(writers);
    }

    private void startWriters(int writers) {
        for (int n = 0; n < writers; n++) {
            Random random = new Random(n);
            Thread thread = new Thread(() -> write(random), "shop-" + n);
            threads.add(thread);
            thread.start();
        }
    }

    private void write(Random random) {
        try {
            while (!stopped) {
                change("order-" + random.nextInt(ORDERS));
                // Not as fast as possible: one send at a time must be able to keep up.
                Thread.sleep(20);
            }
        } catch (SQLException | InterruptedException | RuntimeException e) {
            failures.add(e);
        }
    }

    private void change(String order) throws SQLException {
        try (Connection connection = database.transaction()) {
            boolean toPostrider = knowsSwitch && isSwitched(connection);
            int number = countChange(connection, order);
            UUID id = UUID.randomUUID();
            if (toPostrider) {
                outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.changed.v1")
                                .id(id)
                                .aggregate("order", order)
                                .json(String.valueOf(number))
                                .build());
            } else {
                writeToOldTable(connection, id, order, number);
            }
            connection.commit();
        }
    }

    /** Holds the switch in its place until this transaction ends. */
    private static boolean isSwitched(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select target from outbox_switch for share");
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getString(1).equals("postrider");
        }
    }

    private static int countChange(Connection connection, String order) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update orders set changes = changes + 1 where id = ? returning changes")) {
            update.setString(1, order);
            try (ResultSet row = update.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static void writeToOldTable(Connection connection, UUID id, String order, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into order_outbox (event_id, order_id, payload) values (?, ?, ?)")) {
            insert.setObject(1, id);
            insert.setString(2, order);
            insert.setString(3, String.valueOf(number));
            insert.executeUpdate();
        }
    }

    /** Waits for transactions that have read the switch; those that come meanwhile wait for the new value. */
    void switchTo(String target) {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute("lock table outbox_switch in exclusive mode");
            statement.execute("update outbox_switch set target = '" + target + "'");
            connection.commit();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for transactions that have written to the old table; those that come meanwhile wait for the trigger. */
    void redirectByTrigger() {
        database.execute("""
                create function to_postrider() returns trigger language plpgsql as $$
                begin
                  insert into outbox (event_id, event_type, aggregate_type, aggregate_id, payload)
                  values (new.event_id, 'acme.order.changed.v1', 'order', new.order_id, new.payload::json);
                  new.status := 'MOVED';
                  return new;
                end $$
                """);
        database.execute(
                "create trigger to_postrider before insert on order_outbox for each row execute function to_postrider()");
    }

    boolean isOldTableEmpty() {
        return database.column("select id from order_outbox where status = 'NEW' limit 1")
                .isEmpty();
    }

    /** How often this order was changed. */
    int changes(String order) {
        return Integer.parseInt(database.one("select changes from orders where id = '" + order + "'"));
    }

    int changes() {
        return Integer.parseInt(database.one("select sum(changes) from orders"));
    }

    List<Throwable> failures() {
        return failures;
    }

    void stop() {
        stopped = true;
        threads.forEach(thread -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Override
    public void close() {
        stop();
    }
}
