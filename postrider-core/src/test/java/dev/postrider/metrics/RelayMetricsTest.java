package dev.postrider.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxPause;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RelayMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RelayMetrics metrics = new RelayMetrics(registry, "orders");

    @Test
    void destinationThatTakesNothingHasAGaugeUntilItTakesEventsAgain() {
        assertThat(blocked()).isEmpty();

        metrics.blocked(Map.of("a-topic", "missing", "b-topic/2", "no leader"));
        assertThat(blocked()).containsOnly(Map.entry("a-topic", 1.0), Map.entry("b-topic/2", 1.0));

        metrics.blocked(Map.of("b-topic/2", "no answer", "c-topic", "forbidden"));
        assertThat(blocked()).containsOnlyKeys("b-topic/2", "c-topic");

        metrics.blocked(Map.of());
        assertThat(blocked()).isEmpty();
    }

    @Test
    void closedMetersAreGoneAndTheNextOnesCount() {
        metrics.blocked(Map.of("a-topic", "missing"));
        metrics.paused(new OutboxPause("alice", Instant.EPOCH, "why"));

        metrics.close();
        metrics.blocked(Map.of("b-topic", "missing"));
        assertThat(registry.getMeters()).isEmpty();

        RelayMetrics next = new RelayMetrics(registry, "orders");
        next.backlog(7, Duration.ZERO);
        assertThat(registry.get("outbox.pending.count").gauge().value()).isEqualTo(7);
        assertThat(registry.get("outbox.paused").gauge().value()).isZero();
    }

    private Map<String, Double> blocked() {
        return registry.find("outbox.destination.blocked").tag("outbox", "orders").gauges().stream()
                .collect(java.util.stream.Collectors.toMap(
                        gauge -> String.valueOf(gauge.getId().getTag("destination")), Gauge::value));
    }
}
