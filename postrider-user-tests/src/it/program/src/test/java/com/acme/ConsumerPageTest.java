package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/consumer.md; its batches are those of docs/inbox.md. */
class ConsumerPageTest {
    private final List<String> assessed = new CopyOnWriteArrayList<>();

    @Test
    void handlerGetsWhatWasWritten() {
        DataSource dataSource = Servers.databaseWithOutbox();
        String bootstrapServers = Servers.kafkaWithTransferEvents();

        KafkaEventConsumer consumer = KafkaEventConsumer.builder(bootstrapServers, "fraud-detection")
                .topics("transfer-events")
                .handler(event -> assessRisk(
                        event.id(), event.aggregateId(), event.payload().text()))
                .build();
        consumer.start(); // and consumer.stop() when the application ends

        try (consumer;
                Relay relay = Relay.builder(
                                dataSource,
                                KafkaPublisher.builder(bootstrapServers).build())
                        .build()) {
            relay.start();
            // A new group begins with what comes after it has joined.
            await().until(() -> {
                write(dataSource);
                relay.nudge();
                return assessed.contains("account-7 {\"amount\": 5}");
            });
        }
        assertThat(consumer.isRunning()).isFalse();
    }

    private static void write(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.transfer.completed.v1")
                                    .aggregate("account", "account-7")
                                    .json("{\"amount\": 5}")
                                    .build());
            connection.commit();
        }
    }

    private void assessRisk(String id, String account, String transfer) {
        assertThat(id).isNotEmpty();
        assessed.add(account + " " + transfer);
    }
}
