package dev.postrider.tests.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.LayoutChange;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pooler stands between here and the database. */
class PoolerTest {
    private static final int WRITERS = 4;
    private static final int EVENTS = 40;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.withOutbox(OutboxLayout.log(2));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eventsWrittenThroughAPoolerOfTransactionsAreDelivered() throws Exception {
        try (SwappingProxy pooler = SwappingProxy.ofTransactions(port());
                HikariDataSource pooled = through(pooler.port())) {
            assertThat(processes(pooled)).as("sessions are swapped").hasSizeGreaterThan(1);
            assertWritersCanUse(pooled);
        }
    }

    @Test
    void eventsWrittenThroughPgBouncerAreDeliveredAndTheOthersRefuseIt() throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "there is no pgbouncer on the path");
        try (PgBouncer pooler = PgBouncer.start(port());
                HikariDataSource pooled = through(pooler.port())) {
            assertWritersCanUse(pooled);
            assertAllRefuse(pooled);
        }
    }

    @Test
    void relayMigrateAndAlterRefuseAPoolerOfTransactions() throws Exception {
        try (SwappingProxy pooler = SwappingProxy.ofTransactions(port());
                HikariDataSource pooled = through(pooler.port())) {
            assertAllRefuse(pooled);
        }
    }

    @Test
    void poolerOfSessionsIsUsedIfTheSettingSaysSo() throws Exception {
        try (SwappingProxy pooler = SwappingProxy.ofSessions(port());
                HikariDataSource pooled = through(pooler.port())) {
            assertAllRefuse(pooled);

            assertThat(OutboxSchema.migrate(pooled, OutboxTable.DEFAULT, OutboxLayout.log(2), Pooling.SESSION))
                    .isZero();
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            write(pooled, 0);
            try (Relay relay = relay(pooled, publisher, Pooling.SESSION)) {
                relay.start();
                await().until(() -> publisher.accepted().size() == EVENTS);
            }
            LayoutChange.builder(pooled)
                    .pooling(Pooling.SESSION)
                    .build()
                    .alter(new LayoutRequest(null, 3, null), "test");
            assertThat(database.one("select value from outbox_settings where name = 'shards'"))
                    .isEqualTo("3");
        }
    }

    private void assertAllRefuse(DataSource pooled) {
        assertRefused(() -> OutboxSchema.migrate(pooled, OutboxTable.DEFAULT, OutboxLayout.log(2)));
        assertRefused(() -> LayoutChange.builder(pooled).build().alter(new LayoutRequest(null, 3, null), "test"));
        try (Relay relay = relay(pooled, RecordingPublisher.acceptingAll(), Pooling.NONE)) {
            assertRefused(relay::start);
        }
        assertThat(database.one("select value from outbox_settings where name = 'shards'"))
                .isEqualTo("2");
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatThrownBy(work)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("There is a pooler between here and the database")
                .hasMessageContaining("set db.pooling to session");
    }

    /** The relay has connections of its own. */
    private void assertWritersCanUse(DataSource pooled) throws Exception {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Relay relay = relay(database.dataSource(), publisher, Pooling.NONE)) {
            relay.start();
            ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
            List<Future<?>> written = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                written.add(writers.submit(() -> {
                    write(pooled, number);
                    return null;
                }));
            }
            for (Future<?> one : written) {
                one.get();
            }
            writers.shutdown();
            await().until(() -> publisher.accepted().size() == WRITERS * EVENTS);
        }
    }

    private static void write(DataSource dataSource, int writer) throws Exception {
        Outbox outbox = Outbox.builder().build();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (int n = 0; n < EVENTS; n++) {
                outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "writer-" + writer)
                                .requestId(writer + "/" + n)
                                .json(Integer.toString(n))
                                .build());
                connection.commit();
            }
        }
    }

    private static Relay relay(DataSource dataSource, RecordingPublisher publisher, Pooling pooling) {
        return Relay.builder(dataSource, publisher)
                .settings(RelaySettings.builder()
                        .name("relay")
                        .leaseLength(Duration.ofMinutes(1))
                        .pooling(pooling)
                        .build())
                .build();
    }

    private static List<String> processes(DataSource pooled) throws Exception {
        List<String> processes = new ArrayList<>();
        // The second connection brings another session along.
        try (Connection one = pooled.getConnection();
                Connection other = pooled.getConnection()) {
            other.getMetaData();
            for (int i = 0; i < 3; i++) {
                try (var statement = one.createStatement();
                        var row = statement.executeQuery("select pg_backend_pid()")) {
                    row.next();
                    processes.add(row.getString(1));
                }
            }
        }
        return processes.stream().distinct().toList();
    }

    private int port() {
        return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
    }

    /** Named statements belong to a session, so the driver must not make any. */
    private HikariDataSource through(int port) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl().replace(":" + port() + "/", ":" + port + "/"));
        config.setUsername(DevPostgres.shared().user());
        config.setPassword(DevPostgres.shared().password());
        config.setMaximumPoolSize(8);
        config.addDataSourceProperty("prepareThreshold", "0");
        return new HikariDataSource(config);
    }
}
