package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Inbox;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.publish.handler.HandlerPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The code that the page about handlers shows: it is compiled here, and the first of it is run. */
class HandlersPageTest {
    private interface Mails {
        void confirm(String order);
    }

    private interface Warehouse {
        void ship(String order);
    }

    @Test
    void eventsAreHandedToFunctions() {
        List<String> confirmed = new CopyOnWriteArrayList<>();
        List<String> shipped = new CopyOnWriteArrayList<>();
        Mails mails = confirmed::add;
        Warehouse warehouse = shipped::add;
        try (TestDatabase database = TestDatabase.withOutbox()) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values"
                    + " ('acme.order.created.v1', 'order', 'o-1', '1'), ('acme.order.paid.v1', 'order', 'o-1', '2')");
            DataSource dataSource = database.dataSource();
            // snippet: handlers
            HandlerPublisher handlers = HandlerPublisher.builder()
                    .on("acme.order.created.v1", event -> mails.confirm(event.aggregateId()))
                    .on("acme.order.paid.v1", event -> warehouse.ship(event.aggregateId()))
                    .build();

            Relay relay = Relay.builder(dataSource, handlers).build();
            relay.start(); // and relay.stop() when the application ends
            // end
            try (relay) {
                await().until(() -> shipped.equals(List.of("o-1")));
            }
            assertThat(confirmed).containsExactly("o-1");
        }
    }

    static RelaySettings giveUpAtOnce() {
        return RelaySettings.builder()
                // snippet: retry
                .retry((event, failure, attempt) -> failure.errorClass().equals("UnknownProductException")
                        ? RetryPolicy.giveUp()
                        : Backoff.DEFAULT.decide(event, failure, attempt))
                // end
                .build();
    }

    static HandlerPublisher eachEffectOnce(DataSource dataSource, Inbox inbox) {
        return HandlerPublisher.builder()
                // snippet: once
                .on("acme.order.paid.v1", event -> {
                    try (Connection connection = dataSource.getConnection()) {
                        connection.setAutoCommit(false);
                        if (inbox.mark(connection, event.id().toString())) {
                            ship(connection, event.aggregateId());
                        }
                        connection.commit(); // the work and its mark, or neither
                    }
                })
                // end
                .build();
    }

    private static void ship(Connection connection, String order) {
        assertThat(connection).isNotNull();
        assertThat(order).isNotNull();
    }

    @Test
    void pageShowsThisCode() throws IOException {
        Snippets.assertThatPageShowsAll("docs/handlers.md", HandlersPageTest.class);
    }
}
