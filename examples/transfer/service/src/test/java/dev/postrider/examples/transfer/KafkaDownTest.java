package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An outage is not the fault of a transfer: however long it takes, nothing dies of it. */
class KafkaDownTest extends TransferServiceTest {
    /** All waits of the schedule of these tests together are 3.1 s. */
    private static final double LONGER_THAN_THE_SCHEDULE = 4;

    @AfterEach
    void kafkaIsBack() {
        Servers.KAFKA.start(1);
    }

    @Test
    @Requirement("T2")
    void outageLongerThanTheScheduleCostsNothing() {
        Transfer before = transfer();
        awaitPublished(before);

        Servers.KAFKA.kill();
        Transfer meanwhile = transfer();
        await().atMost(PATIENCE).until(() -> secondsOld(meanwhile) > LONGER_THAN_THE_SCHEDULE);

        assertThat(eventOf(meanwhile).status()).isNotIn("PUBLISHED", "DEAD_LETTER");
        assertThat(eventOf(meanwhile).attemptCount()).isZero();

        Servers.KAFKA.start(1);
        awaitPublished(meanwhile);
        assertThat(awaitArrived(meanwhile.id(), 1)).isNotEmpty();
    }

    /** By the database's clock. */
    private double secondsOld(Transfer transfer) {
        return jdbc.sql(
                        "select extract(epoch from clock_timestamp() - created_at) from transfer_outbox where aggregate_id = ?")
                .param(transfer.id().toString())
                .query(Double.class)
                .single();
    }
}
