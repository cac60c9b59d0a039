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

/** A database of its own on the test run's one PostgreSQL server, with an outbox in it. */
public final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final HikariDataSource pool;

    private TestDatabase(HikariDataSource pool) {
        this.pool = pool;
    }

    /** In claim mode. */
    public static TestDatabase withOutbox() {
        return withOutbox(OutboxLayout.claim());
    }

    public static TestDatabase withOutbox(OutboxLayout layout) {
        TestDatabase database = empty();
        OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, layout);
        return database;
    }

    public static TestDatabase empty() {
        return emptyOn(DevPostgres.shared());
    }

    /** On another server than the test run's one. */
    public static TestDatabase emptyOn(DevPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.createDatabase("test_" + NUMBER.incrementAndGet()));
        config.setUsername(server.user());
        config.setPassword(server.password());
        // A test that forgets a transaction fails instead of hanging.
        config.addDataSourceProperty("options", "-c lock_timeout=60s");
        config.setMaximumPoolSize(50);
        // Not 0: such a pool was seen to leave a waiting thread without a connection.
        config.setMinimumIdle(2);
        return new TestDatabase(new HikariDataSource(config));
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
