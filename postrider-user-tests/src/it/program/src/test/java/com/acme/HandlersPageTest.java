package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.EventStatus;
import dev.postrider.Inbox;
import dev.postrider.InboxSchema;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.publish.handler.HandlerPublisher;
import dev.postrider.testing.InMemoryOutbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/handlers.md */
class HandlersPageTest {
    private interface Mails {
        void confirm(String order);
    }

    private interface Warehouse {
        void ship(String order);
    }

    @Test
    void eventsAreHandedToFunctions() throws SQLException {
        List<String> confirmed = new CopyOnWriteArrayList<>();
        List<String> shipped = new CopyOnWriteArrayList<>();
        Mails mails = confirmed::add;
        Warehouse warehouse = shipped::add;
        DataSource dataSource = Servers.databaseWithOutbox();
        Servers.execute(
                dataSource,
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values"
                        + " ('acme.order.created.v1', 'order', 'o-1', '1'), ('acme.order.paid.v1', 'order', 'o-1', '2')");

        HandlerPublisher handlers = HandlerPublisher.builder()
                .on("acme.order.created.v1", event -> mails.confirm(event.aggregateId()))
                .on("acme.order.paid.v1", event -> warehouse.ship(event.aggregateId()))
                .build();

        Relay relay = Relay.builder(dataSource, handlers).build();
        relay.start(); // and relay.stop() when the application ends

        try (relay) {
            await().until(() -> shipped.equals(List.of("o-1")));
        }
        assertThat(confirmed).containsExactly("o-1");
    }

    @Test
    void policyGivesUpAtOnce() throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();
        new OrderService(memory.dataSource(), Outbox.builder().build()).place("o-1");
        HandlerPublisher handlers = HandlerPublisher.builder()
                .on("acme.order.placed.v1", event -> {
                    throw new UnknownProductException();
                })
                .build();

        try (Relay relay = Relay.builder(memory.dataSource(), handlers)
                .settings(givingUpAtOnce())
                .build()) {
            relay.start();
            await().until(() -> memory.events(EventStatus.DEAD_LETTER).size() == 1);
        }
    }

    private static final class UnknownProductException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static RelaySettings givingUpAtOnce() {
        return RelaySettings.builder()
                .retry((event, failure, attempt) -> failure.errorClass().equals("UnknownProductException")
                        ? RetryPolicy.giveUp()
                        : Backoff.DEFAULT.decide(event, failure, attempt))
                .build();
    }

    @Test
    void effectHappensOnceWhereAnEventComesTwice() throws SQLException {
        DataSource dataSource = Servers.databaseWithOutbox();
        InboxSchema.migrate(dataSource);
        Servers.execute(dataSource, "create table shipment (customer_order text)");
        Servers.execute(
                dataSource,
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " values ('acme.order.paid.v1', 'order', 'o-1', '1')");
        OutboxAdmin admin = OutboxAdmin.builder(dataSource).build();
        ReplayRequest history = ReplayRequest.of(new ReplayScope.OfAggregate("order", "o-1"));

        try (Relay relay = Relay.builder(dataSource, eachEffectOnce(dataSource)).build();
                HandlerPublisher again = eachEffectOnce(dataSource)) {
            relay.start();
            await().until(() -> admin.extent(history).events() == 1);
            assertThat(admin.replay(history, again, () -> false, "alice").sent())
                    .isEqualTo(1);
        }
        assertThat(Servers.column(dataSource, "select customer_order from shipment"))
                .containsExactly("o-1");
    }

    private static HandlerPublisher eachEffectOnce(DataSource dataSource) {
        Inbox inbox = Inbox.of("warehouse");
        return HandlerPublisher.builder()
                .on("acme.order.paid.v1", event -> {
                    try (Connection connection = dataSource.getConnection()) {
                        connection.setAutoCommit(false);
                        if (inbox.mark(connection, event.id().toString())) {
                            ship(connection, event.aggregateId());
                        }
                        connection.commit(); // the work and its mark, or neither
                    }
                })
                .build();
    }

    private static void ship(Connection connection, String order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into shipment values (?)")) {
            insert.setString(1, order);
            insert.executeUpdate();
        }
    }
}
