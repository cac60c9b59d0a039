package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The profile "literal": every failed send counts, also those of an outage. Retries come after a twentieth of the time. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@ActiveProfiles("literal")
class LiteralReadingTest {
    private static final String NAME = "literal";
    private static final Operations OPERATIONS = new Operations();

    @Autowired
    Bank bank;

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry, NAME, Servers.database(NAME));
        registry.add("postrider.relay.retry.base", () -> "100ms");
        registry.add("postrider.alerts.webhook-url", OPERATIONS::url);
        // A busy machine is not an outage.
        registry.add("postrider.kafka.properties.delivery.timeout.ms", () -> 1500);
        registry.add("postrider.kafka.properties.request.timeout.ms", () -> 1400);
        registry.add("postrider.kafka.properties.max.block.ms", () -> 1500);
    }

    @AfterEach
    void kafkaIsBack() {
        Servers.KAFKA.start(1);
    }

    @Test
    @Requirement({"T8", "T9"})
    void outageLongerThanTheScheduleLeavesADeadEventAndAnAlert() {
        Account from = bank.open(new Account.Opening("Ada Lovelace", new BigDecimal(1000)));
        Account to = bank.open(new Account.Opening("Charles Babbage", BigDecimal.TEN));
        Transfer.Wanted wanted = new Transfer.Wanted(from.number(), to.number(), BigDecimal.ONE);
        awaitKafkaTakes(wanted);

        Servers.KAFKA.kill();
        Transfer unlucky = bank.transfer(wanted);
        awaitStatus(unlucky, "DEAD_LETTER");

        Journal journal = new Journal(jdbc);
        assertThat(EventRow.of(jdbc, unlucky.id()).attemptCount()).isEqualTo(6);
        Schedule.assertWaits(journal.waitsOf(unlucky.id()), 100, 200, 400, 800, 1600);
        Schedule.assertNothingWasSentEarly(journal.of(unlucky.id()));
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> OPERATIONS.knowsOfDeathOf(EventRow.of(jdbc, unlucky.id())));
    }

    /** On a starved machine the first ones may not get through in time, and count as failed too. */
    private void awaitKafkaTakes(Transfer.Wanted wanted) {
        await().atMost(TransferServiceTest.PATIENCE).until(() -> {
            Transfer transfer = bank.transfer(wanted);
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> List.of("PUBLISHED", "DEAD_LETTER")
                            .contains(EventRow.of(jdbc, transfer.id()).status()));
            return EventRow.of(jdbc, transfer.id()).status().equals("PUBLISHED");
        });
    }

    private void awaitStatus(Transfer transfer, String status) {
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> EventRow.of(jdbc, transfer.id()).status().equals(status));
    }
}
