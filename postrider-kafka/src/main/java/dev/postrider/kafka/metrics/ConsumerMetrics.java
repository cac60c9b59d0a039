package dev.postrider.kafka.metrics;

import dev.postrider.kafka.consume.ConsumerListener;
import dev.postrider.kafka.consume.Origin;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** A consumer's meters. They are updated as things happen: a scrape makes no calls to the brokers. */
public final class ConsumerMetrics implements ConsumerListener {
    private final Timer latency;
    private final Counter failures;
    private final Counter batchFailures;
    private final Counter outages;
    private final Counter dead;
    private final Counter refused;
    private final MultiGauge lag;

    /**
     * @param group value of the tag {@code group}
     */
    public ConsumerMetrics(MeterRegistry registry, String group) {
        Tags tags = Tags.of("group", group);
        this.latency = Timer.builder("postrider.consumer.handle.latency")
                .description("The handler's time for a record that it handled; its count is how many these were")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
        this.failures = counter(registry, tags, "failure.count", "Attempts with a single record that failed");
        this.batchFailures =
                counter(registry, tags, "batch.failure.count", "Batches that failed and were tried one by one");
        this.outages = counter(registry, tags, "outage.count", "Times that what the handler needs was down");
        this.dead = counter(registry, tags, "dlq.count", "Records put into a dead letter topic");
        this.refused = counter(registry, tags, "dlq.refused.count", "Records that a dead letter topic did not take");
        this.lag = MultiGauge.builder("postrider.consumer.lag")
                .description("Records of a partition that are there and not done")
                .tags(tags)
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, Tags tags, String name, String description) {
        return Counter.builder("postrider.consumer." + name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    @Override
    public void handled(Origin origin, Duration took) {
        latency.record(took);
    }

    @Override
    public void failed(Origin origin, Throwable error, int attempt) {
        failures.increment();
    }

    @Override
    public void batchFailed(int records, Throwable error) {
        batchFailures.increment();
    }

    @Override
    public void outage(Throwable error) {
        outages.increment();
    }

    @Override
    public void deadLettered(Origin origin, String deadLetterTopic, int attempts) {
        dead.increment();
    }

    @Override
    public void deadLetterRefused(Origin origin, Throwable error) {
        refused.increment();
    }

    @Override
    public void lag(Map<TopicPartition, Long> records) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        records.forEach((partition, count) -> rows.add(MultiGauge.Row.of(
                Tags.of("topic", partition.topic(), "partition", String.valueOf(partition.partition())), count)));
        lag.register(rows, true);
    }
}
