package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.Relay;
import dev.postrider.testing.InMemoryOutbox;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/publishers.md; the publisher's own test is beside it. */
class PublishersPageTest {

    @Test
    void relayDeliversToIt() throws SQLException {
        DataSource dataSource = new InMemoryOutbox().dataSource();
        Queue queue = new Queue();
        new OrderService(dataSource, Outbox.builder().build()).place("o-1");

        Relay relay = Relay.builder(dataSource, new QueuePublisher(queue)).build();

        try (relay) {
            relay.start();
            await().until(() -> !queue.bodies().isEmpty());
        }
        assertThat(queue.bodies()).containsExactly("{\"order\":\"o-1\"}");
    }
}
