package dev.postrider.tests.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.ManualRelay;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What the outbox in memory offers beyond what every outbox does. */
class InMemoryOutboxTest {
    private final InMemoryOutbox memory = new InMemoryOutbox();
    private final Outbox outbox = Outbox.builder().build();
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();

    @Test
    void relayMovesWhenToldAndTimePassesWhenSet() throws Exception {
        write(memory.dataSource(), "1");
        publisher.answer(event -> new PublishResult.Rejected("not today", false));
        RelaySettings settings = RelaySettings.builder()
                .retry(new Backoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0, 3))
                .build();
        try (ManualRelay relay = ManualRelay.of(memory, publisher, settings)) {
            assertThat(relay.runUntilIdle()).isZero();
            assertThat(memory.entries()).singleElement().satisfies(entry -> {
                assertThat(entry.status()).isEqualTo(EventStatus.FAILED);
                assertThat(entry.attempts()).isEqualTo(1);
                assertThat(entry.lastError()).contains("not today");
            });
            publisher.answer(event -> new PublishResult.Accepted());
            assertThat(relay.runUntilIdle()).as("not due").isZero();

            memory.clock().advance(Duration.ofHours(1));

            assertThat(relay.runUntilIdle()).isEqualTo(1);
        }
        assertThat(publisher.acceptedBodies()).containsExactly("1");
        assertThat(memory.events(EventStatus.PUBLISHED)).hasSize(1);
    }

    @Test
    void relayRunsBatchAfterBatchUntilNothingIsDue() throws Exception {
        for (int n = 0; n < 25; n++) {
            write(memory.dataSource(), String.valueOf(n));
        }
        try (ManualRelay relay = ManualRelay.of(
                memory, publisher, RelaySettings.builder().batchSize(10).build())) {
            assertThat(relay.runUntilIdle()).isEqualTo(25);
        }
        assertThat(publisher.accepted()).hasSize(25);
    }

    @Test
    void startedRelayIsToldOfCommits() throws Exception {
        try (Relay relay = Relay.builder(memory.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofHours(1))
                        .polling(RelaySettings.Polling.FIXED)
                        .build())
                .build()) {
            relay.start();
            write(memory.dataSource(), "1");
            await().until(() -> publisher.accepted().size() == 1);
            write(memory.dataSource(), "2");
            await().until(() -> publisher.accepted().size() == 2);
        }
    }

    @Test
    void aroundADatabaseOfTheTestEventsGoWithItsTransactions() throws Exception {
        try (TestDatabase database = TestDatabase.empty()) {
            database.execute("create table orders (id text)");
            DataSource around = memory.around(database.dataSource());
            try (Connection connection = around.getConnection()) {
                connection.setAutoCommit(false);
                order(connection, "o-1");
                connection.commit();
                order(connection, "o-2");
                connection.rollback();
                order(connection, "o-3");
                connection.setAutoCommit(true);
                connection.setAutoCommit(false);
                order(connection, "o-4");
                connection.rollback();
            }
            assertThat(memory.events()).extracting(OutboxEvent::aggregateId).containsExactly("o-1", "o-3");
            assertThat(database.column("select id from orders order by id")).containsExactly("o-1", "o-3");
        }
    }

    @Test
    void oneOutboxCanBeUsedWithSeveral() throws Exception {
        InMemoryOutbox other = new InMemoryOutbox();
        write(memory.dataSource(), "1");
        write(other.dataSource(), "2");

        assertThat(memory.events()).hasSize(1);
        assertThat(other.events()).hasSize(1);
    }

    @Test
    void closedConnectionIsOfNoUse() throws Exception {
        Connection connection = memory.dataSource().getConnection();
        connection.setAutoCommit(false);
        outbox.write(connection, event("1"));
        connection.close();

        assertThatThrownBy(() -> outbox.write(connection, event("2"))).hasMessageContaining("closed");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        assertThat(memory.events()).isEmpty();
    }

    @Test
    void whatItCannotDoIsSaid() throws Exception {
        try (Connection connection = memory.dataSource().getConnection()) {
            assertThatThrownBy(() -> connection.prepareStatement("select 1"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("InMemoryOutbox.around(dataSource)");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> Outbox.builder()
                            .table(OutboxTable.parse("other"))
                            .build()
                            .write(connection, event("1")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("There is no outbox other in memory");
        }
    }

    private void order(Connection connection, String id) throws SQLException {
        try (Statement insert = connection.createStatement()) {
            insert.execute("insert into orders values ('" + id + "')");
        }
        outbox.write(
                connection,
                OutboxEvent.builder("acme.order.placed.v1")
                        .aggregate("order", id)
                        .json("{}")
                        .build());
    }

    private void write(DataSource dataSource, String body) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            outbox.write(connection, event(body));
            connection.commit();
        }
    }

    private static OutboxEvent event(String body) {
        return OutboxEvent.builder("acme.a.b.v1")
                .aggregate("a", body)
                .json(body)
                .build();
    }
}
