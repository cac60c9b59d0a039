package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.StartAt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** README.md */
class QuickStartTest {
    private final Outbox outbox = Outbox.builder().source("payments").build();

    void transfer(DataSource dataSource, int from, int to, long amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            move(connection, from, to, amount);
            outbox.write(
                    connection,
                    OutboxEvent.builder("acme.transfer.completed.v1")
                            .aggregate("account", String.valueOf(from))
                            .json("{\"from\": %d, \"to\": %d, \"amount\": %d}".formatted(from, to, amount))
                            .build());
            connection.commit(); // the money and the event, or neither
        }
    }

    @Test
    void committedTransferArrives() throws SQLException {
        DataSource dataSource = Servers.emptyDatabase();
        String bootstrapServers = Servers.kafkaWithTransferEvents();
        Servers.execute(dataSource, "create table account (id int primary key, balance bigint)");
        Servers.execute(dataSource, "insert into account values (1, 100), (2, 0)");
        List<String> arrived = new CopyOnWriteArrayList<>();
        KafkaEventConsumer consumer = KafkaEventConsumer.builder(bootstrapServers, "quick-start")
                .topics("transfer-events")
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .handler(event -> arrived.add(event.payload().text()))
                .build();

        OutboxSchema.migrate(dataSource, OutboxTable.DEFAULT);

        Relay relay = Relay.builder(
                        dataSource, KafkaPublisher.builder(bootstrapServers).build())
                .build();
        relay.start(); // and relay.stop() when the application ends

        try (consumer;
                relay) {
            consumer.start();
            transfer(dataSource, 1, 2, 30);
            await().until(() -> arrived.contains("{\"from\": 1, \"to\": 2, \"amount\": 30}"));
        }
        assertThat(Servers.column(dataSource, "select balance from account order by id"))
                .containsExactly("70", "30");
    }

    private static void move(Connection connection, int from, int to, long amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update account set balance = balance + ? where id = ?")) {
            update.setLong(1, -amount);
            update.setInt(2, from);
            update.addBatch();
            update.setLong(1, amount);
            update.setInt(2, to);
            update.addBatch();
            update.executeBatch();
        }
    }
}
