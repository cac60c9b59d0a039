package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import dev.postrider.examples.logistics.orders.Order;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Plain SQL writes, the relay as a process of its own publishes. */
class PlainSqlTest {
    private static final Topic TOPIC = new Topic("shared-order-events");

    private final Worker worker = Worker.shared();
    private final Database database = Worker.sharedDatabase();

    @Test
    @Requirement({"L1", "L8"})
    void typeAggregateAndPayloadAreEnough() {
        String order = UUID.randomUUID().toString();
        UUID event = database.insert(order, "{\"step\": \"placed\"}");

        ReceivedEvent arrived = awaitArrived(order, 1).get(0);

        assertThat(arrived.id()).isEqualTo(event.toString());
        assertThat(arrived.type()).isEqualTo("logistics.order.placed");
        assertThat(arrived.source()).isEqualTo("logistics");
        assertThat(arrived.payload().text()).contains("\"step\": \"placed\"");
        await().atMost(Worker.PATIENCE).until(() -> database.statusOf(event).equals("PUBLISHED"));
    }

    /** The second event of each order has an id of its writer, {@code status = 'PENDING'} and a due time of now. */
    @Test
    @Requirement("L1")
    void whatAWriterSaysInFullIsWhatItSays() throws Exception {
        Order order = database.place();
        UUID ours = database.orders().take(order.id(), "packed");

        List<ReceivedEvent> arrived = awaitArrived(order.id(), 2);

        assertThat(arrived)
                .extracting(ReceivedEvent::type)
                .containsExactlyInAnyOrder("logistics.order.placed", "logistics.order.packed");
        assertThat(arrived).extracting(ReceivedEvent::id).contains(ours.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"messageId\": \"mine\"}"})
    @Requirement("L5")
    void messageIdIsTheIdOfTheRowWhateverThePayloadSays(String payload) {
        String order = UUID.randomUUID().toString();
        UUID event = database.insert(order, payload);

        ReceivedEvent arrived = awaitArrived(order, 1).get(0);

        assertThat(JsonMapper.shared()
                        .readTree(arrived.payload().text())
                        .get("messageId")
                        .asString())
                .isEqualTo(event.toString());
        assertThat(arrived.id()).isEqualTo(event.toString());
    }

    @Test
    @Requirement("L6")
    void metricsHaveTheirNames() throws Exception {
        UUID event = database.insert(UUID.randomUUID().toString(), "{}");
        await().atMost(Worker.PATIENCE).until(() -> database.statusOf(event).equals("PUBLISHED"));
        int published = database.count("select count(*) from outbox_events where status = 'PUBLISHED'");

        await().atMost(Worker.PATIENCE).until(() -> worker.metric("outbox_process_latency_seconds_count") >= published);
        assertThat(worker.metric("outbox_process_latency_seconds_sum")).isPositive();
        assertThat(worker.metrics()).contains("outbox_process_latency_seconds_bucket{outbox=\"outbox_events\",le=");
        // A busy Kafka may have failed some sends of other tests.
        assertThat(worker.metric("outbox_failure_count_total")).isGreaterThanOrEqualTo(0);
        await().atMost(Worker.PATIENCE).untilAsserted(() -> {
            assertThat(worker.metric("outbox_pending_count")).isZero();
            assertThat(worker.metric("outbox_oldest_age_seconds")).isCloseTo(0, within(0.0));
        });
    }

    private static List<ReceivedEvent> awaitArrived(Object order, int events) {
        return await().atMost(Worker.PATIENCE).until(() -> TOPIC.of(order), arrived -> arrived.size() >= events);
    }
}
