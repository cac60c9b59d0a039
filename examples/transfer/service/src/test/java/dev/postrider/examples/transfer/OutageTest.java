package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Kafka is down for longer than all retries take. One bank reads "failed" as the service does, where an outage is not the
 * fault of a transfer; the other one has the profile "literal", where every failed send counts. Both retry after a
 * twentieth of the time.
 */
class OutageTest {
    private static final double ALL_WAITS_SECONDS = 3.1;

    private final Operations operations = new Operations();

    @AfterEach
    void kafkaIsBack() {
        Servers.KAFKA.start(1);
    }

    @Test
    @Requirement({"T2", "T8", "T9"})
    void outageLongerThanTheScheduleCostsNothingUnlessEveryFailedSendCounts() {
        try (Running ordinary = start(
                        "outage",
                        Map.of(
                                // Noticed within the patience of a test, and its end too.
                                "postrider.kafka.properties.delivery.timeout.ms", 3000,
                                "postrider.kafka.properties.request.timeout.ms", 2000,
                                "postrider.kafka.properties.max.block.ms", 2000,
                                "postrider.relay.circuit.open-for", "200ms"));
                Running literal =
                        start("literal", Map.of("postrider.alerts.webhook-url", operations.url()), "literal");
                Topic topic = Servers.topic("outage")) {
            ordinary.awaitKafkaTakes();
            literal.awaitKafkaTakes();

            Servers.KAFKA.kill();
            Transfer patient = ordinary.transfer();
            Transfer unlucky = literal.transfer();

            literal.awaitStatus(unlucky, "DEAD_LETTER");
            assertThat(literal.eventOf(unlucky).attemptCount()).isEqualTo(6);
            Schedule.assertWaits(literal.journal().waitsOf(unlucky.id()), 100, 200, 400, 800, 1600);
            Schedule.assertNothingWasSentEarly(literal.journal().of(unlucky.id()));
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> operations.knowsOfDeathOf(literal.eventOf(unlucky)));

            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> ordinary.secondsSinceItCameBack(patient) > ALL_WAITS_SECONDS);
            assertThat(ordinary.eventOf(patient).status()).isNotIn("PUBLISHED", "DEAD_LETTER");
            assertThat(ordinary.eventOf(patient).attemptCount()).isZero();

            Servers.KAFKA.start(1);
            ordinary.awaitStatus(patient, "PUBLISHED");
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> !topic.of(patient.id()).isEmpty());
        }
    }

    private static Running start(String name, Map<String, Object> more, String... profiles) {
        Map<String, Object> properties = new LinkedHashMap<>(Servers.properties(name, Servers.database(name)));
        properties.put("postrider.relay.retry.base", "100ms");
        properties.putAll(more);
        return new Running(Instance.start(properties, profiles));
    }

    private record Running(Instance instance) implements AutoCloseable {

        Transfer transfer() {
            Bank bank = instance.context().getBean(Bank.class);
            Account from = bank.open(new Account.Opening("Ada Lovelace", BigDecimal.TEN));
            Account to = bank.open(new Account.Opening("Charles Babbage", BigDecimal.TEN));
            return bank.transfer(new Transfer.Wanted(from.number(), to.number(), BigDecimal.ONE));
        }

        /** On a starved machine the first ones may not get through in time. */
        void awaitKafkaTakes() {
            await().atMost(TransferServiceTest.PATIENCE.multipliedBy(2)).until(() -> {
                Transfer transfer = transfer();
                await().atMost(TransferServiceTest.PATIENCE)
                        .until(() -> List.of("PUBLISHED", "DEAD_LETTER")
                                .contains(eventOf(transfer).status()));
                return eventOf(transfer).status().equals("PUBLISHED");
            });
        }

        void awaitStatus(Transfer transfer, String status) {
            await().atMost(TransferServiceTest.PATIENCE)
                    .until(() -> eventOf(transfer).status().equals(status));
        }

        /** By the database's clock. 0 as long as it has not been tried in vain. */
        double secondsSinceItCameBack(Transfer transfer) {
            return jdbc().sql("""
                            select coalesce(extract(epoch from clock_timestamp() - min(noted)), 0) from journal
                            where aggregate_id = ? and was = 'SENDING'
                            """)
                    .param(transfer.id().toString())
                    .query(Double.class)
                    .single();
        }

        EventRow eventOf(Transfer transfer) {
            return EventRow.of(jdbc(), transfer.id());
        }

        Journal journal() {
            return new Journal(jdbc());
        }

        private JdbcClient jdbc() {
            return instance.context().getBean(JdbcClient.class);
        }

        @Override
        public void close() {
            instance.close();
        }
    }
}
