package dev.postrider.tests.consume;

import dev.postrider.Inbox;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.consume.StartAt;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A consumer as a process, which books amounts: whole batches in one transaction with their marks. */
final class BookkeepingConsumer {
    private static final Inbox INBOX = Inbox.of("bookkeeping");

    private BookkeepingConsumer() {}

    /**
     * @param args bootstrap servers, group, topic, JDBC URL, user, password
     */
    public static void main(String[] args) {
        KafkaEventConsumer.builder(args[0], args[1])
                .topics(args[2])
                .settings(ConsumerSettings.builder()
                        .startAt(StartAt.EARLIEST)
                        .sessionTimeout(Duration.ofSeconds(3))
                        .heartbeatInterval(Duration.ofMillis(300))
                        .build())
                .batchHandler(events -> {
                    try (Connection connection = DriverManager.getConnection(args[3], args[4], args[5])) {
                        connection.setAutoCommit(false);
                        book(connection, events);
                        connection.commit();
                    }
                })
                .build()
                .start();
    }

    private static void book(Connection connection, List<ReceivedEvent> events) throws SQLException {
        Set<String> fresh = new HashSet<>(
                INBOX.mark(connection, events.stream().map(ReceivedEvent::id).toList()));
        try (PreparedStatement insert = connection.prepareStatement("insert into booking (amount) values (?)")) {
            for (ReceivedEvent event : events) {
                // A batch may have an event twice.
                if (fresh.remove(event.id())) {
                    insert.setInt(1, Integer.parseInt(event.payload().text()));
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }
}
