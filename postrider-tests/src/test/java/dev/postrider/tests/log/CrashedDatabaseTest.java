package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The database crashes, and the relay does not. Transaction numbers that were given out shortly before, to transactions
 * that left nothing behind, are given out again: their events must not be taken for delivered, nor those that the relay
 * had seen end.
 */
class CrashedDatabaseTest {

    @Test
    void eventsWithNumbersGivenOutAgainAreDelivered() throws Exception {
        try (DevPostgres postgres = DevPostgres.builder()
                // What nobody waits for stays in memory until the crash.
                .setting("wal_writer_delay", "10s")
                .start()) {
            PGSimpleDataSource dataSource = dataSource(postgres);
            OutboxSchema.migrate(dataSource, OutboxTable.DEFAULT, OutboxLayout.log(1));
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            try (Relay relay = Relay.builder(dataSource, publisher)
                    .settings(RelaySettings.builder()
                            .name("relay")
                            .leaseLength(Duration.ofMinutes(1))
                            .build())
                    .build()) {
                write(dataSource, 0);
                deliver(relay);
                long before = lastNumber(dataSource);
                rollBack(dataSource, 200);
                // Nothing to send, and the end of the log has moved on.
                deliver(relay);
                postgres.kill();
                postgres.restart();

                long after = lastNumber(dataSource);
                for (int number = 1; number <= 20; number++) {
                    write(dataSource, number);
                }
                deliver(relay);
                deliver(relay);

                assertThat(after).as("numbers are given out again").isLessThan(before + 150);
                assertThat(publisher.accepted()).as("of 21 events").hasSizeGreaterThanOrEqualTo(21);
            }
        }
    }

    /** The first time after the crash its connection is gone. */
    private static void deliver(Relay relay) {
        for (int attempt = 0; attempt < 3; attempt++) {
            try {
                relay.runOnce();
                return;
            } catch (PostriderException e) {
                assertThat(e).hasMessageContaining("cannot be read");
            }
        }
    }

    private static void rollBack(PGSimpleDataSource dataSource, int transactions) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < transactions; i++) {
                statement.execute("select pg_current_xact_id()");
                connection.rollback();
            }
        }
    }

    private static long lastNumber(PGSimpleDataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void write(PGSimpleDataSource dataSource, int number) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", "7")
                                    .json("{\"number\": " + number + "}")
                                    .build());
            connection.commit();
        }
    }

    private static PGSimpleDataSource dataSource(DevPostgres postgres) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(postgres.jdbcUrl());
        dataSource.setUser(postgres.user());
        dataSource.setPassword(postgres.password());
        return dataSource;
    }
}
