package dev.postrider.examples.commerce.api;

import static org.awaitility.Awaitility.await;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderPaid;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** The API with the figures of its application.yml, and a {@link Doorman}. All classes below this one share one application. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Import(BadTimesTest.Destination.class)
abstract class BadTimesTest {
    static final Duration PATIENCE = CommerceApiTest.PATIENCE;

    @Autowired
    Outbox outbox;

    @Autowired
    OutboxAdmin admin;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    Doorman doorman;

    @TestConfiguration(proxyBeanMethods = false)
    static class Destination {
        @Bean
        Doorman doorman() {
            return new Doorman();
        }
    }

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry, Servers.migratedDatabase("bad_times"));
        // So that a test need not wait for as long as people would.
        registry.add("postrider.relay.circuit.open-for", () -> "2s");
        registry.add("postrider.relay.no-answer-after", () -> "1s");
    }

    @BeforeEach
    void goodTimes() {
        doorman.letAllPass();
        awaitAllSent();
    }

    /** So many orders are paid, all in one transaction. */
    List<UUID> pay(int orders) {
        return pay(Stream.generate(UUID::randomUUID).limit(orders).toList());
    }

    List<UUID> pay(List<UUID> orders) {
        transaction.executeWithoutResult(status -> orders.forEach(
                order -> outbox.write(new OrderPaid(Instant.now(), order, UUID.randomUUID(), List.of()))));
        return orders;
    }

    void awaitAllSent() {
        await().atMost(PATIENCE)
                .until(() -> admin.status().count(EventStatus.PENDING) == 0
                        && jdbc.sql("select count(*) from outbox_parked")
                                        .query(Long.class)
                                        .single()
                                == 0);
    }

    FailedRow failed(UUID order) {
        return jdbc.sql("select * from outbox_failed where aggregate_id = ?")
                .param(order.toString())
                .query(FailedRow.class)
                .optional()
                .orElse(FailedRow.NONE);
    }
}
