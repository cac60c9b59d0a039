package com.acme;

import dev.postrider.Inbox;
import dev.postrider.InboxSchema;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.StartAt;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

public final class Application {
    public static void main(String[] args) throws Exception {
        PGSimpleDataSource dataSource = new PGSimpleDataSource(); // in production a pool, such as HikariCP
        dataSource.setUrl(System.getenv("POSTRIDER_DB_URL"));
        dataSource.setUser(System.getenv("POSTRIDER_DB_USER"));
        dataSource.setPassword(System.getenv("POSTRIDER_DB_PASSWORD"));
        run(dataSource, System.getenv("POSTRIDER_KAFKA"));
    }

    static void run(DataSource dataSource, String bootstrapServers) throws Exception {
        OutboxSchema.migrate(dataSource, OutboxTable.DEFAULT);
        InboxSchema.migrate(dataSource);
        Inbox inbox = Inbox.of("risk-check");
        CountDownLatch arrived = new CountDownLatch(1);
        Relay relay = Relay.builder(
                        dataSource, KafkaPublisher.builder(bootstrapServers).build())
                .build();
        KafkaEventConsumer consumer = KafkaEventConsumer.builder(bootstrapServers, "risk-check")
                .topics("transfer-events")
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .handler(event -> {
                    try (Connection connection = dataSource.getConnection()) {
                        connection.setAutoCommit(false);
                        if (inbox.mark(connection, event.id())) { // false: it was handled before
                            System.out.println("Arrived: " + event.payload().text());
                        }
                        connection.commit();
                    }
                    arrived.countDown();
                })
                .build();
        try (relay;
                consumer) {
            relay.start();
            consumer.start();
            new Payments(dataSource).transfer(1, 2, 30);
            arrived.await();
        }
    }
}
