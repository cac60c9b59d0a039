package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The profile "split": each instance has its share of the transfers. This is the first of two. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@ActiveProfiles("split")
class SplitTest {
    private static final String NAME = "split";
    private static String url = "";

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        url = Servers.database(NAME);
        Servers.register(registry, NAME, url);
        registry.add("transfer.instance", () -> 0);
        registry.add("transfer.instances", () -> 2);
    }

    @Test
    @Requirement("T7")
    void eachInstanceDeliversTheTransfersOfItsHash() {
        TransferServiceTest.writeBySql(jdbc, "split", 100);
        int ofTheFirst = jdbc.sql("select count(*) from transfer_events where key_hash % 2 = 0")
                .query(Integer.class)
                .single();
        assertThat(ofTheFirst).isBetween(1, 99);

        await().atMost(TransferServiceTest.PATIENCE).until(() -> published() >= ofTheFirst);

        assertThat(jdbc.sql("select distinct status from transfer_events where key_hash % 2 <> 0")
                        .query(String.class)
                        .list())
                .isEqualTo(List.of("PENDING"));

        Map<String, Object> properties = Servers.properties(NAME, url);
        properties.put("transfer.instance", 1);
        properties.put("transfer.instances", 2);
        try (Instance second = Instance.start(properties, "split")) {
            await().atMost(TransferServiceTest.PATIENCE).until(() -> published() == 100);
            assertThat(second.context().isRunning()).isTrue();
        }
    }

    private int published() {
        return TransferServiceTest.count(jdbc, "PUBLISHED", "split");
    }
}
