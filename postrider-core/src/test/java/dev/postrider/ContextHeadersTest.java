package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testing.InMemoryOutbox;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What events carry of the moment in which they are written. */
class ContextHeadersTest {
    private final InMemoryOutbox memory = new InMemoryOutbox();
    private final JdbcTransactions transactions = JdbcTransactions.of(memory.dataSource());
    private int asked;
    private final Outbox outbox = Outbox.builder()
            .currentTransaction(transactions)
            .contextHeaders(() -> {
                asked++;
                return Map.of("traceparent", "here", "tracestate", "so");
            })
            .build();

    private static OutboxEvent.Builder event() {
        return OutboxEvent.builder("order.placed").aggregate("order", "1").json("{}");
    }

    @Test
    void eventGetsThemBesideItsOwn() throws Exception {
        transactions.run(connection ->
                outbox.write(List.of(event().header("customer", "7").build(), event().build())));
        transactions.run(
                connection -> outbox.writeOnce(event().requestId("once").build()));

        assertThat(headers())
                .containsExactly(
                        Map.of("customer", "7", "traceparent", "here", "tracestate", "so"),
                        Map.of("traceparent", "here", "tracestate", "so"),
                        Map.of("traceparent", "here", "tracestate", "so"));
        assertThat(asked).as("once for each write").isEqualTo(2);
    }

    @Test
    void eventThatHasOneOfThemGetsNone() throws Exception {
        transactions.run(connection ->
                outbox.write(event().header("traceparent", "there").build()));

        assertThat(headers()).containsExactly(Map.of("traceparent", "there"));
    }

    private List<Map<String, String>> headers() {
        return memory.entries().stream().map(entry -> entry.event().headers()).toList();
    }
}
