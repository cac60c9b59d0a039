package dev.postrider.examples.commerce.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.commerce.statistics.Api.Event;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A record that cannot be handled is tried again, and goes to a topic of its own in the end. */
class DeadLettersTest extends CommerceStatisticsTest {

    @Test
    @Requirement({"C9", "C15"})
    void poisonRecordAmongAHundredIsRetriedAndSetAsideAndTheOthersCount() {
        long product = newProduct();
        Event poison = new Event(
                "product-view-events", "acme.product.viewed.v1", product, "{\"productId\": \"the blue one\"}");
        long before = deadLettersOf("product-view-events");
        Event[] hundred = IntStream.range(0, 100)
                .mapToObj(number -> number == 57 ? poison : Api.viewed(product))
                .toArray(Event[]::new);
        try (Log log = new Log()) {
            deliver(hundred);

            assertThat(of(product)).isEqualTo(new Statistic(0, 0, 99));
            assertThat(deadLettersOf("product-view-events")).isEqualTo(before + 1);
            for (int attempt = 1; attempt <= 3; attempt++) {
                assertThat(log.has(Level.WARN, "attempt " + attempt + " of event " + poison.id()))
                        .describedAs("attempt %d", attempt)
                        .isTrue();
            }
            assertThat(log.has(Level.WARN, "given up after 4 attempts", "product-view-events.dlq", "the blue one"))
                    .isTrue();
        }
    }

    @Test
    @Requirement({"C9", "C15"})
    void deadLettersAreSentBackByACommandWhenTheReasonIsGone(@Autowired StringRedisTemplate redis) {
        long product = newProduct();
        Servers.REDIS.kill();
        try {
            deliver(Api.depleted(product));
            assertThat(deadLettersOf("stock-events")).isPositive();
        } finally {
            Servers.REDIS.restart();
        }
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            redis.opsForValue().set("product:" + product, "{}");
            return true;
        });

        String answer = Operator.postrider(
                Map.of(),
                "topics",
                "redrive",
                "stock-events.dlq",
                "--yes",
                "--kafka",
                Servers.KAFKA.bootstrapServers());

        assertThat(answer).contains("stock-events");
        await().atMost(PATIENCE).until(() -> Boolean.FALSE.equals(redis.hasKey("product:" + product)));
    }
}
