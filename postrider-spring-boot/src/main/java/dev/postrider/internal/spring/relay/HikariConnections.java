package dev.postrider.internal.spring.relay;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A pool of its own, as large as is needed, so that a relay takes none of the application's connections. It leads where the
 * application's leads, in the same way: a copy of that one's settings if it is of this kind, or if Spring Boot has made one of
 * another kind, the connection details that it was made from. Where the application has made its data source itself, or has
 * something of its own around it, neither tells how connections are made: with which user and password, or what is done to each.
 */
public final class HikariConnections implements RelayConnections {
    private final OutboxDataSource dataSource;
    private final @Nullable JdbcConnectionDetails details;
    private final RelayConnections otherwise;

    /**
     * @param details of the data source; null if it was not made from any
     * @param otherwise if there is nothing to make a pool from
     */
    public HikariConnections(
            OutboxDataSource dataSource, @Nullable JdbcConnectionDetails details, RelayConnections otherwise) {
        this.dataSource = dataSource;
        this.details = details;
        this.otherwise = otherwise;
    }

    @Override
    public Open open(String name, int least, int most) {
        HikariConfig config = settings();
        if (config == null) {
            return otherwise.open(name, least, most);
        }
        config.setPoolName(name);
        config.setMaximumPoolSize(most);
        // Not 0: a pool that keeps nothing in reserve was seen to leave a waiting thread without a connection.
        config.setMinimumIdle(1);
        config.setAutoCommit(true);
        config.setReadOnly(false);
        // They are kept for as long as the application runs.
        config.setLeakDetectionThreshold(0);
        // An outage of the database must not keep a relay from being built.
        config.setInitializationFailTimeout(-1);
        config.setRegisterMbeans(false);
        return new OwnPool(new HikariDataSource(config));
    }

    private @Nullable HikariConfig settings() {
        if (dataSource.hasProxies()) {
            return null;
        }
        HikariConfig config = new HikariConfig();
        // Not of a class below it, which may have a user, a password or connections that its settings do not tell.
        if (dataSource.target().getClass() == HikariDataSource.class) {
            ((HikariDataSource) dataSource.target()).copyStateTo(config);
            return config;
        }
        if (details == null || !dataSource.isOfSpringBoot()) {
            return null;
        }
        config.setJdbcUrl(details.getJdbcUrl());
        config.setUsername(details.getUsername());
        config.setPassword(details.getPassword());
        config.setDriverClassName(details.getDriverClassName());
        return config;
    }

    private record OwnPool(HikariDataSource pool) implements Open {
        @Override
        public DataSource dataSource() {
            return pool;
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
