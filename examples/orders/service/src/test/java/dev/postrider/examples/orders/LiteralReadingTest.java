package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The profile "literal": every failed send counts, also those of an outage. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@ActiveProfiles({"literal", "audit"})
class LiteralReadingTest {
    private static final List<Integer> SCHEDULE = List.of(100, 200, 400, 800, 1600);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    @Autowired
    Orders orders;

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry, "literal", Servers.POSTGRES.createDatabase("literal"));
    }

    @AfterEach
    void kafkaIsBack() {
        Servers.KAFKA.start(1);
    }

    @Test
    @Requirement("O4")
    void outageLongerThanTheScheduleLeavesADeadEventAndOneError() {
        Order before = orders.place(SampleOrders.cups(1));
        await().atMost(OrderServiceTest.PATIENCE)
                .until(() -> OutboxRow.of(jdbc, before.id()).status().equals("SENT"));

        Servers.KAFKA.kill();
        try (Errors errors = new Errors()) {
            Order unlucky = orders.place(SampleOrders.cups(2));
            await().atMost(OrderServiceTest.PATIENCE)
                    .until(() -> OutboxRow.of(jdbc, unlucky.id()).status().equals("FAILED"));

            OutboxRow event = OutboxRow.of(jdbc, unlucky.id());
            assertThat(Sends.of(event.id())).describedAs("sends").isEqualTo(6);
            List<Duration> waits = Sends.waitsOf(event.id());
            assertThat(waits).hasSize(5);
            for (int i = 0; i < 5; i++) {
                assertThat(waits.get(i))
                        .describedAs("wait %d of %s", i, waits)
                        .isBetween(Duration.ofMillis(SCHEDULE.get(i)), POLL_INTERVAL);
            }
            assertThat(event.errorMessage()).contains("TimeoutException");
            await().atMost(OrderServiceTest.PATIENCE)
                    .until(() -> errors.messages().stream().anyMatch(error -> error.contains("dead letter")));
            assertThat(errors.messages())
                    .singleElement()
                    .asString()
                    .contains("event " + event.id(), "is a dead letter");
        }
    }

    /** With the profile "audit". */
    @Test
    @Requirement("O6")
    void sentEventsAreKeptForEver(@Autowired HousekeepingSettings housekeeping) {
        assertThat(housekeeping.retention()).isEqualTo(Retention.FOREVER);
    }
}
