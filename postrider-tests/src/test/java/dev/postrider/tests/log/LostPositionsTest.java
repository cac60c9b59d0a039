package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

/** Exactly once without what it takes. */
class LostPositionsTest {
    private static final OutboxLayout LAYOUT = OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE);

    private final TestTopics topics = new TestTopics("lost");

    @Test
    void withoutItsPositionsNothingIsSentRatherThanDoubled() throws Exception {
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT)) {
            write(database, "1");
            try (Relay relay = relay(database)) {
                relay.runOnce();
            }
            assertThat(delivered()).containsExactly("1");
            try (Admin admin =
                    Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
                String positions = "postrider-positions-"
                        + database.one("select value from outbox_settings where name = 'outbox_id'");
                admin.deleteTopics(List.of(positions)).all().get();
                await().until(() -> !admin.listTopics().names().get().contains(positions));
            }
            write(database, "2");

            try (Relay relay = relay(database)) {
                assertThatThrownBy(relay::runOnce)
                        .isInstanceOf(PostriderException.class)
                        .hasMessageContaining("the topic with the positions was deleted")
                        .hasMessageContaining("postrider alter --delivery at-least-once");
            }

            assertThat(delivered()).containsExactly("1");
        }
    }

    @Test
    void destinationWithoutTransactionsIsRefused() {
        try (TestDatabase database = TestDatabase.withOutbox(LAYOUT);
                Relay relay = Relay.builder(database.dataSource(), RecordingPublisher.acceptingAll())
                        .build()) {
            assertThatThrownBy(relay::start)
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("delivers exactly once")
                    .hasMessageContaining("RecordingPublisher");
        }
    }

    private Relay relay(TestDatabase database) {
        return Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                .routing(topics.routing())
                                .build())
                .build();
    }

    private List<String> delivered() {
        return CommittedRecords.byKey(topics.partitions("order-events", 1)).getOrDefault("7", List.of());
    }

    private static void write(TestDatabase database, String body) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", "7")
                                    .json(body)
                                    .build());
            connection.commit();
        }
    }
}
