package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.postrider.EventStatus;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.examples.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** An event that is refused is set aside, tried again, and waits for a person in the end. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RetryTest extends BadTimesTest {

    /** First, because the log of failures has one such line in ten seconds at most. */
    @Test
    @Order(1)
    @Requirement({"C4", "C6", "C15"})
    void refusedEventIsSetAsideRetriedAndWaitsForAPersonAfterTenRetries() {
        try (Log log = new Log()) {
            UUID poison = UUID.randomUUID();
            doorman.answer(event -> event.aggregateId().equals(poison.toString()) ? Doorman.refused() : null);
            List<UUID> orders = pay(List.of(UUID.randomUUID(), poison, UUID.randomUUID()));

            await().atMost(PATIENCE).until(() -> failed(poison).retryCount() >= 0);
            assertThatItHasItsWholeEnvelope(failed(poison));
            await().atMost(PATIENCE).until(() -> admin.status().count(EventStatus.PENDING) == 0);
            assertThat(failed(orders.get(0))).describedAs("before it").isEqualTo(FailedRow.NONE);
            assertThat(failed(orders.get(2))).describedAs("behind it").isEqualTo(FailedRow.NONE);

            await().atMost(PATIENCE).until(() -> failed(poison).retryCount() == 2);
            List<Long> sends = doorman.sent().stream()
                    .filter(one -> one.event().aggregateId().equals(poison.toString()))
                    .map(Doorman.Sent::nanos)
                    .toList();
            assertThat(Duration.ofNanos(sends.get(1) - sends.get(0))).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(Duration.ofNanos(sends.get(2) - sends.get(1))).isGreaterThanOrEqualTo(Duration.ofSeconds(2));

            // Ten minutes later: nine retries have failed.
            jdbc.sql("update outbox_parked set attempts = 10 where aggregate_id = ?")
                    .param(poison.toString())
                    .update();
            await().atMost(PATIENCE).until(() -> failed(poison).nextRetryAt() == null);
            assertThat(failed(poison).retryCount()).isEqualTo(10);
            assertThat(log.has(Level.WARN, failed(poison).id().toString(), "failed at attempt"))
                    .isTrue();
            assertThat(log.at(Level.ERROR)).singleElement().asString().contains("is a dead letter", "not today");
        }
    }

    private void assertThatItHasItsWholeEnvelope(FailedRow failed) {
        Map<String, Object> written = jdbc.sql("""
                        select event_type, aggregate_type, source, payload::text as payload, occurred_at from outbox where event_id = ?
                        """).param(failed.id()).query().singleRow();
        assertThat(failed.eventType()).isEqualTo("acme.order.paid.v1").isEqualTo(written.get("event_type"));
        assertThat(failed.aggregateType()).isEqualTo("Order").isEqualTo(written.get("aggregate_type"));
        assertThat(failed.source()).isEqualTo("commerce-api").isEqualTo(written.get("source"));
        assertThat(failed.payload()).isEqualTo(written.get("payload"));
        assertThat(failed.retryCount()).isZero();
        assertThat(failed.nextRetryAt()).isAfter(failed.failedAt());
        assertThat(failed.lastError()).contains("not today");
    }

    @Test
    @Requirement("C6")
    void rowIsGoneAfterARetryThatSucceeds() {
        doorman.answer(event -> Doorman.refused());
        UUID order = pay(1).get(0);
        await().atMost(PATIENCE).until(() -> failed(order).retryCount() == 0);

        doorman.letAllPass();

        await().atMost(PATIENCE).until(() -> failed(order).equals(FailedRow.NONE));
        assertThat(doorman.sent()).singleElement();
    }

    @Test
    @Requirement("C6")
    void personSendsADeadEventAgain() {
        doorman.answer(event -> Doorman.refused());
        UUID order = pay(1).get(0);
        await().atMost(PATIENCE).until(() -> failed(order).retryCount() == 0);
        jdbc.sql("update outbox_parked set attempts = 10 where aggregate_id = ?")
                .param(order.toString())
                .update();
        await().atMost(PATIENCE).until(() -> failed(order).retryCount() == 10);
        doorman.letAllPass();

        admin.retry(
                DeadLetterSelection.builder()
                        .aggregate("Order", order.toString())
                        .build(),
                "olga");

        await().atMost(PATIENCE).until(() -> failed(order).equals(FailedRow.NONE));
        await().atMost(PATIENCE).until(() -> !doorman.sent().isEmpty());
    }
}
