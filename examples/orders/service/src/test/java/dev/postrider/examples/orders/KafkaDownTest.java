package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An outage is not the fault of an order: however long it takes, nothing dies of it. */
class KafkaDownTest extends OrderServiceTest {
    /** All waits of the schedule together are 3.1 s. */
    private static final double LONGER_THAN_THE_SCHEDULE = 4;

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
        await().atMost(PATIENCE).until(() -> secondsOld(event) > LONGER_THAN_THE_SCHEDULE);

        assertThat(eventOf(meanwhile).status()).isEqualTo("NEW");
        assertThat(eventOf(meanwhile).retryCount()).isZero();

        Servers.KAFKA.start(1);
        awaitArrived(meanwhile.id(), 1);
        await().atMost(PATIENCE).until(() -> eventOf(meanwhile).status().equals("SENT"));
    }

    /** By the database's clock. */
    private double secondsOld(OutboxRow event) {
        return jdbc.sql("select extract(epoch from clock_timestamp() - created_at) from outbox where event_id = ?")
                .param(event.id())
                .query(Double.class)
                .single();
    }
}
