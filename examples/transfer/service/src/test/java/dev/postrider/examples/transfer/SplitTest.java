package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The profile "split": each of two instances has its share of the transfers. */
class SplitTest {
    private static final String NAME = "split";

    private final String url = Servers.database(NAME);
    private final JdbcClient jdbc = Servers.jdbc(url);

    @Test
    @Requirement("T7")
    void eachInstanceDeliversTheTransfersOfItsHash() {
        TransferServiceTest.writeBySql(jdbc, "split", 100);
        int ofTheFirst = jdbc.sql("select count(*) from transfer_events where key_hash % 2 = 0")
                .query(Integer.class)
                .single();
        assertThat(ofTheFirst).isBetween(1, 99);

        try (Instance first = start(0)) {
            await().atMost(TransferServiceTest.PATIENCE).until(() -> published() >= ofTheFirst);
            assertThat(first.context().isRunning()).isTrue();

            assertThat(jdbc.sql("select distinct status from transfer_events where key_hash % 2 <> 0")
                            .query(String.class)
                            .list())
                    .isEqualTo(List.of("PENDING"));

            try (Instance second = start(1)) {
                await().atMost(TransferServiceTest.PATIENCE).until(() -> published() == 100);
                assertThat(second.context().isRunning()).isTrue();
            }
        }
    }

    private Instance start(int instance) {
        Map<String, Object> properties = Servers.properties(NAME, url);
        properties.put("transfer.instance", instance);
        properties.put("transfer.instances", 2);
        return Instance.start(properties, "split");
    }

    private int published() {
        return TransferServiceTest.count(jdbc, "PUBLISHED", "split");
    }
}
