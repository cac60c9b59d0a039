package dev.postrider.tests.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.devservices.DevPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A database of its own on one of the test run's servers, with an outbox in it. */
public final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestServer server;
    private final HikariDataSource pool;

    TestDatabase(TestServer server, HikariConfig config) {
        config.setMaximumPoolSize(50);
        // Not 0: such a pool was seen to leave a waiting thread without a connection.
        config.setMinimumIdle(2);
        this.server = server;
        this.pool = new HikariDataSource(config);
    }

    /** In claim mode. */
    public static TestDatabase withOutbox() {
        return withOutbox(OutboxLayout.claim());
    }

    /** In claim mode. */
    public static TestDatabase withOutbox(TestServer server) {
        TestDatabase database = empty(server);
        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, OutboxLayout.claim());
        return database;
    }

    public static TestDatabase withOutbox(OutboxLayout layout) {
        TestDatabase database = empty();
        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, layout);
        return database;
    }

    public static TestDatabase empty() {
        return emptyOn(DevPostgres.shared());
    }

    public static TestDatabase empty(TestServer server) {
        return server.emptyDatabase("test_" + NUMBER.incrementAndGet());
    }

    /** A name for another schema, where that is not a database of its own that somebody else may have. */
    public String sideBySide(String schema) {
        return server == TestServer.POSTGRES ? schema : schema + "_" + NUMBER.incrementAndGet();
    }

    /** On another server than the test run's one. */
    public static TestDatabase emptyOn(DevPostgres server) {
        return TestServer.emptyOn(server, "test_" + NUMBER.incrementAndGet());
    }

    public TestServer server() {
        return server;
    }

    public String user() {
        return pool.getUsername();
    }

    public String password() {
        return pool.getPassword();
    }

    public String jdbcUrl() {
        return pool.getJdbcUrl();
    }

    public DataSource dataSource() {
        return pool;
    }

    /** A connection with a transaction to be ended by the caller. */
    public Connection transaction() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    public void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** Nothing is left in the outbox, and ids begin anew. */
    public void clear() {
        server.clear().forEach(this::execute);
    }

    /** The only column of the only row, as text. */
    public String one(String sql) {
        List<String> all = column(sql);
        if (all.size() != 1) {
            throw new AssertionError(sql + " gives " + all.size() + " rows");
        }
        return all.get(0);
    }

    /** The first column of every row, as text. */
    public List<String> column(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** For settings that hold for new connections only. */
    public void reconnect() {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    @Override
    public void close() {
        pool.close();
    }
}
