package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import dev.postrider.testing.RecordingPublisher;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** However the application makes its connections, tables and relay are where it writes. */
class DataSourcesTest {
    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    DestinationAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues("postrider.schema.initialize=always")
            .withBean(Publisher.class, RecordingPublisher::acceptingAll);

    private static <P extends HikariDataSource> P pool(P pool, String url) {
        pool.setJdbcUrl(url);
        pool.setUsername(TestDatabase.user(url));
        pool.setPassword(TestDatabase.password(url));
        pool.setMaximumPoolSize(8);
        return pool;
    }

    private static void writeAndAwaitDelivery(ApplicationContext context) {
        Outbox outbox = context.getBean(Outbox.class);
        context.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> outbox.write(OutboxEvent.builder("order.placed")
                        .aggregate("order", "o-1")
                        .json("{}")
                        .build()));
        RecordingPublisher publisher = (RecordingPublisher) context.getBean(Publisher.class);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(publisher.accepted())
                        .extracting(OutboxEvent::aggregateId)
                        .containsExactly("o-1"));
    }

    /** The schema is the application's own matter, and its pool knows nothing of it. */
    private static final class InSideSchema extends DelegatingDataSource {
        InSideSchema(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("create schema if not exists side");
                statement.execute("set search_path to side");
            }
            return connection;
        }
    }

    @Test
    void whatTheApplicationDoesToItsConnectionsIsDoneToThoseOfTheRelayToo() {
        String url = TestDatabase.create();
        APPLICATION
                .withBean(DataSource.class, () -> new InSideSchema(pool(new HikariDataSource(), url)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    writeAndAwaitDelivery(context);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList(
                                            "select table_schema from information_schema.tables where table_name = 'outbox'",
                                            String.class))
                            .containsExactly("side");
                });
    }

    /** Health and endpoints as well. A connection of the pool itself would see the table in no schema, or in a wrong one. */
    @Test
    void whatTheApplicationDoesToItsConnectionsIsDoneToThoseOfHealthToo() {
        String url = TestDatabase.create();
        HikariDataSource pool = pool(new HikariDataSource(), url);
        APPLICATION
                .withConfiguration(AutoConfigurations.of(HealthAutoConfiguration.class))
                .withPropertyValues("postrider.relay.enabled=false")
                .withBean(DataSource.class, () -> new InSideSchema(pool))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    // What another schema was set on is not met again.
                    pool.getHikariPoolMXBean().softEvictConnections();
                    assertThat(context.getBean(HealthIndicator.class).health().getDetails())
                            .extracting("outbox")
                            .asString()
                            .contains("pending=0");
                });
    }

    /** How many connections it will keep is known when the database is there. */
    @Test
    void applicationWhosePoolIsSharedStartsWithoutItsDatabase() {
        APPLICATION
                .withPropertyValues("postrider.schema.initialize=never")
                .withBean(DataSource.class, () -> {
                    HikariDataSource nowhere =
                            pool(new HikariDataSource(), TestDatabase.create().replaceFirst(":\\d+/", ":1/"));
                    nowhere.setConnectionTimeout(250);
                    return new InSideSchema(nowhere);
                })
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** As pools are that fetch their passwords somewhere: what is set says little about what they connect to. */
    static final class WithOwnCredentials extends HikariDataSource {
        private final HikariDataSource real;

        WithOwnCredentials(String url) {
            real = pool(new HikariDataSource(), url);
            setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");
            setMaximumPoolSize(8);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return real.getConnection();
        }

        @Override
        public void close() {
            real.close();
            super.close();
        }
    }

    @Test
    void settingsOfAPoolOfAnotherClassAreNotCopied() {
        String url = TestDatabase.create();
        APPLICATION
                .withBean(DataSource.class, () -> new WithOwnCredentials(url))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    writeAndAwaitDelivery(context);
                });
    }

    /** As libraries are around pools that Spring does not know. It alone knows how to connect. */
    private record UnknownWrapper(HikariDataSource pool) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return pool.getConnection(user, password);
        }

        @Override
        public PrintWriter getLogWriter() throws SQLException {
            return pool.getLogWriter();
        }

        @Override
        public void setLogWriter(PrintWriter out) throws SQLException {
            pool.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            pool.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return pool.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            return pool.getParentLogger();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return pool.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return pool.isWrapperFor(type);
        }
    }

    /** They are somebody's, a container's for example; what the application has made of them is its own matter. */
    private record OtherDetails() implements JdbcConnectionDetails {
        @Override
        public String getUsername() {
            return "nobody";
        }

        @Override
        public String getPassword() {
            return "nothing";
        }

        @Override
        public String getJdbcUrl() {
            return "jdbc:postgresql://localhost:1/nowhere";
        }
    }

    @Test
    void connectionDetailsDoNotCountForADataSourceThatTheApplicationHasMade() {
        String url = TestDatabase.create();
        APPLICATION
                .withBean(JdbcConnectionDetails.class, OtherDetails::new)
                .withBean(DataSource.class, () -> new UnknownWrapper(pool(new HikariDataSource(), url)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    writeAndAwaitDelivery(context);
                });
    }

    /** It changes nothing about connections, and is in the way of none of the application's. */
    @Test
    void poolOfItsOwnIsMadeBehindSpringsProxies() {
        String url = TestDatabase.create();
        APPLICATION
                .withBean(
                        DataSource.class,
                        () -> new DelegatingDataSource(
                                new LazyConnectionDataSourceProxy(pool(new HikariDataSource(), url))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DataSource bean = context.getBean(DataSource.class);
                    try (RelayConnections.Open open =
                            context.getBean(RelayConnections.class).open("look", 1, 1)) {
                        assertThat(open.dataSource())
                                .isInstanceOf(HikariDataSource.class)
                                .isNotSameAs(bean.unwrap(HikariDataSource.class));
                    }
                    writeAndAwaitDelivery(context);
                });
    }

    @Test
    void dataSourceOfTheOutboxIsChosenByItsName() {
        String orders = TestDatabase.create();
        String archive = TestDatabase.create();
        APPLICATION
                .withPropertyValues("postrider.data-source=orders")
                .withBean("orders", DataSource.class, () -> pool(new HikariDataSource(), orders))
                .withBean("archive", DataSource.class, () -> pool(new HikariDataSource(), archive))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    String sql = "select count(*) from information_schema.tables where table_name = 'outbox'";
                    assertThat(new JdbcTemplate(context.getBean("orders", DataSource.class))
                                    .queryForObject(sql, Long.class))
                            .isEqualTo(1);
                    assertThat(new JdbcTemplate(context.getBean("archive", DataSource.class))
                                    .queryForObject(sql, Long.class))
                            .isZero();
                });
    }
}
