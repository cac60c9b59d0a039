package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An outage is not the fault of an order: however long it takes, nothing dies of it. */
class KafkaDownTest extends OrderServiceTest {
    private static final int SENDS_OF_THE_SCHEDULE = 6;

    @AfterEach
    void kafkaIsBack() {
        Servers.KAFKA.start(1);
    }

    @Test
    @Requirement({"O3", "O4"})
    void outageLongerThanTheScheduleCostsNothing() {
        Order before = orders.place(SampleOrders.cups(1));
        awaitArrived(before.id(), 1);

        Servers.KAFKA.kill();
        Order meanwhile = orders.place(SampleOrders.cups(2));
        OutboxRow event = eventOf(meanwhile);
        await().atMost(PATIENCE).until(() -> Sends.of(event.id()) > SENDS_OF_THE_SCHEDULE);

        assertThat(eventOf(meanwhile).status()).isEqualTo("NEW");
        assertThat(eventOf(meanwhile).retryCount()).isZero();

        Servers.KAFKA.start(1);
        awaitArrived(meanwhile.id(), 1);
        await().atMost(PATIENCE).until(() -> eventOf(meanwhile).status().equals("SENT"));
    }
}
