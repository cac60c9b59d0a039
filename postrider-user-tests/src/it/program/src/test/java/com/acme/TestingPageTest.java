package com.acme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.ManualRelay;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/testing.md: tests without servers, and around a database of one's own. */
class TestingPageTest {

    @Test
    void serviceIsTestedWithoutServers() throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        OrderService orders =
                new OrderService(memory.dataSource(), Outbox.builder().build());
        orders.place("o-1");

        assertThat(memory.events()).extracting(OutboxEvent::type).containsExactly("acme.order.placed.v1");

        try (ManualRelay relay = ManualRelay.of(memory, publisher)) {
            publisher.answer(event -> new PublishResult.Rejected("not today", false));
            relay.runUntilIdle(); // sends what is due, and returns when it is settled
            memory.clock().advance(Duration.ofMinutes(5)); // retries, schedules, leases and retention go by this clock
            publisher.answer(event -> new PublishResult.Accepted());
            relay.runUntilIdle();
        }
        assertThat(publisher.acceptedBodies()).containsExactly("{\"order\":\"o-1\"}");
    }

    @Test
    void outboxGoesWithTheTransactionsOfAnotherDatabase() throws SQLException {
        DataSource database = Servers.emptyDatabase();
        Servers.execute(database, "create table orders (id text)");
        InMemoryOutbox memory = new InMemoryOutbox();

        DataSource dataSource = memory.around(database);

        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            placeOrder(connection, "o-1");
            connection.rollback();
            placeOrder(connection, "o-2");
            connection.commit();
        }
        assertThat(memory.events()).extracting(OutboxEvent::aggregateId).containsExactly("o-2");
        assertThat(Servers.column(database, "select id from orders")).containsExactly("o-2");
    }

    private static void placeOrder(Connection connection, String order) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into orders values ('" + order + "')");
        }
        Outbox.builder()
                .build()
                .write(
                        connection,
                        OutboxEvent.builder("acme.order.placed.v1")
                                .aggregate("order", order)
                                .json("{}")
                                .build());
    }
}
