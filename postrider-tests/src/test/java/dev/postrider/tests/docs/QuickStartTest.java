package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** The code that the README shows: it is compiled and run here, and the README has it to the letter. */
class QuickStartTest {
    private final TestTopics topics = new TestTopics("");

    // snippet: write
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
    // end

    @Test
    void committedTransferArrives() throws SQLException {
        try (TestDatabase database = TestDatabase.empty()) {
            DataSource dataSource = database.dataSource();
            String bootstrapServers = DevKafka.shared().bootstrapServers();
            database.execute("create table account (id int primary key, balance bigint)");
            database.execute("insert into account values (1, 100), (2, 0)");
            // snippet: relay
            OutboxSchema.migrate(dataSource, OutboxTable.DEFAULT);

            Relay relay = Relay.builder(
                            dataSource, KafkaPublisher.builder(bootstrapServers).build())
                    .build();
            relay.start(); // and relay.stop() when the application ends
            // end
            try {
                transfer(dataSource, 1, 2, 30);
                relay.nudge();

                assertThat(topics.readUntil(
                                "transfer-events",
                                new StringDeserializer(),
                                record -> record.value().equals("{\"from\": 1, \"to\": 2, \"amount\": 30}")))
                        .isNotEmpty();
                assertThat(database.column("select balance from account order by id"))
                        .containsExactly("70", "30");
            } finally {
                relay.stop();
            }
        }
    }

    @Test
    void readmeShowsThisCode() throws IOException {
        Snippets.assertThatPageShowsAll("README.md", QuickStartTest.class);
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
