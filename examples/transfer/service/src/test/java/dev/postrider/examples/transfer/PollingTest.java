package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Events that nobody tells the relay of, since they are written by SQL: polling finds them. */
class PollingTest extends TransferServiceTest {

    @Test
    @Requirement({"T3", "T14"})
    void takesFiveHundredAtATimeInTheOrderOfTheirIds() {
        writeBySql(jdbc, "polled", 1100);

        await().atMost(PATIENCE).until(() -> count(jdbc, "PUBLISHED", "polled") == 1100);

        assertThat(new Journal(jdbc).perStatement("SENDING", "polled-%"))
                .describedAs("events of each claim")
                .contains(500)
                .allMatch(claim -> claim <= 500);
        List<UUID> written = jdbc.sql(
                        "select event_id from transfer_events where aggregate_id like 'polled-%' order by id")
                .query(UUID.class)
                .list();
        assertThat(Sends.order().stream().filter(written::contains).distinct()).isEqualTo(written);
    }
}
