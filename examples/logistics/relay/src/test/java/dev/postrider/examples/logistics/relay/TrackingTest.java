package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxAdmin;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.logistics.orders.Order;
import dev.postrider.examples.logistics.tracking.Tracking;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A consumer that gets everything twice. */
class TrackingTest {
    private static final String TOPIC = "tracked-order-events";

    private final Database database = Worker.sharedDatabase();

    @Test
    @Requirement("L5")
    void messageThatArrivesTwiceIsHandledOnce() throws Exception {
        Worker.shared();
        database.runScript("parcels.sql");
        InboxSchema.migrate(database.dataSource());
        Order order = database.place();
        database.orders().take(order.id(), "packed");
        database.orders().take(order.id(), "shipped");
        awaitPublished(order, 3);

        try (KafkaEventConsumer tracking =
                Tracking.consumer(Worker.KAFKA.bootstrapServers(), TOPIC, database.dataSource())) {
            send(order);
            send(order);
            tracking.start();
            // In one partition, all of them: when the newest has been handled, everything before it has been.
            database.orders().take(order.id(), "delivered");
            awaitPublished(order, 4);
            send(order);

            await().atMost(Worker.PATIENCE)
                    .until(() -> database.list("select step from parcels where order_id = ?::uuid", order.id())
                            .contains("delivered"));
            assertThat(database.ask("select steps from parcels where order_id = ?::uuid", order.id()))
                    .describedAs("steps that tracking has heard of")
                    .isEqualTo("4");
        }
    }

    /** All events of the order, to a topic of this test. A busy broker may not find it at once. */
    private void send(Order order) {
        await().atMost(Worker.PATIENCE)
                .ignoreExceptionsInstanceOf(ReplayStoppedException.class)
                .until(() -> sent(order));
    }

    private boolean sent(Order order) {
        try (KafkaPublisher publisher =
                EmbeddedRelay.with(Path.of("relay.yml")).kafka(Worker.KAFKA.bootstrapServers())) {
            return OutboxAdmin.builder(database.dataSource())
                    .table(Database.OUTBOX)
                    .build()
                    .replay(
                            new ReplayRequest(
                                    new ReplayScope.OfAggregate(
                                            "order", order.id().toString()),
                                    TOPIC,
                                    0),
                            publisher,
                            () -> false,
                            "test")
                    .complete();
        }
    }

    private void awaitPublished(Order order, int events) {
        String published = "select count(*) from order_event_status where aggregate_id = ? and status = 'PUBLISHED'";
        await().atMost(Worker.PATIENCE).until(() -> database.count(published, order.id()) == events);
    }
}
