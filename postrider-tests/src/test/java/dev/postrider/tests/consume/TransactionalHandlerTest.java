package dev.postrider.tests.consume;

import static dev.postrider.tests.consume.ConsumedTopic.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.BatchHandler;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A batch in one transaction of the handler's own, with a mark for each event. */
class TransactionalHandlerTest {

    @Test
    void batchIsOneTransactionAndOneThatFailsIsTakenApart() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        try (ConsumedTopic topic = new ConsumedTopic(3);
                TestDatabase database = TestDatabase.empty()) {
            database.execute("create table sale (event text primary key, amount int check (amount <> 42))");
            topic.sendMany(100, 20);

            BatchHandler handler = events -> {
                sizes.add(events.size());
                try (Connection connection = database.dataSource().getConnection();
                        PreparedStatement insert =
                                connection.prepareStatement("insert into sale values (?, ?) on conflict do nothing")) {
                    connection.setAutoCommit(false);
                    for (ReceivedEvent event : events) {
                        insert.setString(1, event.id());
                        insert.setInt(2, Integer.parseInt(event.payload().text()));
                        insert.addBatch();
                    }
                    insert.executeBatch();
                    connection.commit();
                }
            };
            topic.start(topic.consumer().batchHandler(handler));
            await().atMost(PATIENCE).until(topic::isAllCommitted);

            assertThat(database.one("select count(*) || ' ' || sum(amount) from sale"))
                    .isEqualTo("99 " + (99 * 100 / 2 - 42));
            assertThat(ConsumedTopic.header(topic.deadLetters(1).get(0), "postrider-dlq-exception"))
                    .isEqualTo("java.sql.BatchUpdateException");
            assertThat(sizes).as("batches").anyMatch(size -> size > 1);
            assertThat(sizes.stream().filter(size -> size == 1).count())
                    .as("those taken apart, with two retries of the one that fails")
                    .isGreaterThanOrEqualTo(3);
        }
    }
}
