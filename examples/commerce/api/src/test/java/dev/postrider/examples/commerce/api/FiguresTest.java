package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.examples.Requirement;
import dev.postrider.failure.Backoff;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/** What application.yml and topics.yml say, whatever other tests have set. */
class FiguresTest {
    private final Properties figures = figures(new ClassPathResource("application.yml"));

    @Test
    @Requirement("C4")
    void looksEveryHalfSecondForAHundredEvents() {
        assertThat(figures)
                .containsEntry("postrider.relay.poll-interval", "500ms")
                .containsEntry("postrider.relay.polling", "fixed")
                .containsEntry("postrider.relay.batch-size", 100)
                .containsEntry("postrider.relay.no-answer-after", "30s");
    }

    @Test
    @Requirement("C6")
    void retriesTenTimesFromOneSecondToFiveMinutes() {
        assertThat(figures)
                .containsEntry("postrider.relay.retry.base", "1s")
                .containsEntry("postrider.relay.retry.multiplier", 2)
                .containsEntry("postrider.relay.retry.cap", "5m")
                .containsEntry("postrider.relay.retry.max-retries", 10)
                .containsEntry("postrider.relay.retry.jitter", 0);
        Backoff schedule = new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5), 0, 10);
        assertThat(IntStream.rangeClosed(1, 10)
                        .mapToLong(retry -> schedule.delayBefore(retry).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L);
    }

    @Test
    @Requirement("C7")
    void circuitHasTheFiguresOfTheSystem() {
        assertThat(figures)
                .containsEntry("postrider.relay.circuit.window", 10)
                .containsEntry("postrider.relay.circuit.minimum-calls", 5)
                .containsEntry("postrider.relay.circuit.failure-rate", 50)
                .containsEntry("postrider.relay.circuit.open-for", "30s")
                .containsEntry("postrider.relay.circuit.trial-calls", 3);
    }

    @Test
    @Requirement("C8")
    void anotherInstanceTakesOverAfterThirtySeconds() {
        assertThat(figures).containsEntry("postrider.relay.lease-length", "30s");
    }

    @Test
    @Requirement("C12")
    void producerHasTheFiguresOfTheSystem() {
        assertThat(figures)
                .containsEntry("postrider.kafka.properties.acks", "all")
                .containsEntry("postrider.kafka.properties.enable.idempotence", true)
                .containsEntry("postrider.kafka.properties.retries", 3)
                .containsEntry("postrider.kafka.properties.retry.backoff.ms", 1000)
                .containsEntry("postrider.kafka.properties.delivery.timeout.ms", 120_000)
                .containsEntry("postrider.kafka.properties.request.timeout.ms", 30_000)
                .containsEntry("postrider.kafka.properties.max.in.flight.requests.per.connection", 5)
                .containsEntry("postrider.kafka.properties.linger.ms", 5);
    }

    @Test
    @Requirement("C13")
    void topicsHaveTheFiguresOfTheSystem() {
        assertThat(figures(new FileSystemResource("../topics.yml")))
                .containsEntry(
                        "topics.names", "like-events, order-events, payment-events, product-view-events, stock-events")
                .containsEntry("topics.partitions", 3)
                .containsEntry("topics.replication-factor", 3)
                .containsEntry("topics.min-insync-replicas", 2)
                .containsEntry("topics.retention", "7d")
                .containsEntry("topics.dead-letters", true)
                .containsEntry("topics.dead-letter-partitions", 1)
                .containsEntry("topics.dead-letter-retention", "30d");
    }

    @Test
    @Requirement("C14")
    void historyOfTheCursorIsKeptForSevenDays() {
        assertThat(figures)
                .containsEntry("postrider.retention.cursor-history", "7d")
                .containsEntry("postrider.retention.cursor-thinning", false);
    }

    /** If this fails, Postrider's tables have changed: see docs/upgrading.md for the next migration. */
    @Test
    @Requirement({"C4", "C8"})
    void outboxIsALogOfOneShardAsPostriderPrintsIt() throws IOException {
        assertThat(new ClassPathResource("db/migration/V2__outbox.sql").getContentAsString(StandardCharsets.UTF_8))
                .isEqualTo(OutboxSchema.script(DatabaseFamily.POSTGRESQL, OutboxTable.DEFAULT, OutboxLayout.log(1)));
    }

    private static Properties figures(Resource file) {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(file);
        Properties read = yaml.getObject();
        return read == null ? new Properties() : read;
    }
}
