package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxAdmin;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.logistics.orders.Order;
import dev.postrider.examples.logistics.tracking.Tracking;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A consumer that gets everything twice. */
class TrackingTest {
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
        String published =
                "select count(*) from order_event_status where aggregate_id = ? and status = 'PUBLISHED'";
        await().atMost(Worker.PATIENCE).until(() -> database.count(published, order.id()) == 3);

        KafkaPublisher again = EmbeddedRelay.with(Path.of("relay.yml"))
                .kafka(Worker.KAFKA.bootstrapServers());
        try (Topic topic = new Topic("shared-order-events");
                KafkaEventConsumer tracking = Tracking.consumer(
                        Worker.KAFKA.bootstrapServers(), "shared-order-events", database.dataSource())) {
            OutboxAdmin.builder(database.dataSource()).table(Database.OUTBOX).build()
                    .replay(
                            new ReplayRequest(
                                    new ReplayScope.OfAggregate("order", order.id().toString()), "shared-order-events", 0),
                            again,
                            () -> false,
                            "test");
            await().atMost(Worker.PATIENCE)
                    .until(() -> topic.of(order.id()).size() == 6);
            // A last one, so that it is known when the others have been read.
            tracking.start();
            database.orders().take(order.id(), "delivered");

            await().atMost(Worker.PATIENCE)
                    .until(() -> database.list(
                                    "select step from parcels where order_id = ?::uuid and step = 'delivered'", order.id())
                            .size()
                            == 1);
            assertThat(database.ask("select steps from parcels where order_id = ?::uuid", order.id()))
                    .describedAs("steps that tracking has heard of")
                    .isEqualTo("4");
        } finally {
            again.close();
        }
    }
}
