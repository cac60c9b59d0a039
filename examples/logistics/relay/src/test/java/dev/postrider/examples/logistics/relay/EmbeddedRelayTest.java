package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.alert.Alert;
import dev.postrider.examples.Requirement;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The relay inside of an application. Kafka refuses hardly anything that could be accepted later, so somebody stands before
 * it who does.
 */
class EmbeddedRelayTest {
    private static final List<Integer> SCHEDULE_MS = List.of(100, 200, 400, 800, 1600);
    private static final Database DATABASE = Database.create("embedded");

    /**
     * Refuses one aggregate, and hands everything else to Kafka.
     *
     * @param refusals when, by the number of failed sends before. On a busy machine a relay may lose its lease and send
     *     once more what it had not recorded: the first time counts
     */
    private record Doorman(Publisher kafka, String refused, Map<Integer, Long> refusals) implements Publisher {
        @Override
        public String destination(OutboxEvent event) {
            return "embedded-order-events";
        }

        @Override
        public CompletionStage<?> ready(String destination) {
            return kafka.ready(destination);
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            if (event.aggregateId().equals(refused)) {
                refusals.putIfAbsent(retriesOf(refused), System.nanoTime());
                return CompletableFuture.completedFuture(new PublishResult.Rejected("refused", "not today", false));
            }
            return kafka.publish(event, destination);
        }

        @Override
        public void close() {
            kafka.close();
        }
    }

    @Test
    @Requirement({"L4", "L8"})
    void relayInAnApplicationDeliversAndGivesUpAfterFiveRetries(@TempDir Path directory) throws Exception {
        String file = Files.readString(Path.of("relay.yml"));
        assertThat(file).contains("base: 1s");
        Path tenTimesAsFast =
                Files.writeString(directory.resolve("relay.yml"), file.replace("base: 1s", "base: 100ms"));
        EmbeddedRelay embedded = EmbeddedRelay.with(tenTimesAsFast);
        Map<Integer, Long> refusals = new ConcurrentSkipListMap<>();
        List<Alert> alerts = new CopyOnWriteArrayList<>();
        Doorman doorman = new Doorman(embedded.kafka(Worker.KAFKA.bootstrapServers()), "poison", refusals);

        try (Relay relay = embedded.to(doorman, DATABASE.dataSource(), List.of(alerts::add))) {
            relay.start();
            UUID poison = DATABASE.insert("poison", "{}");
            UUID good = DATABASE.insert("good", "{}");
            await().atMost(Worker.PATIENCE).until(() -> DATABASE.statusOf(good).equals("PUBLISHED"));
            await().atMost(Worker.PATIENCE)
                    .until(() -> DATABASE.statusOf(poison).equals("FAILED"));

            assertThat(retriesOf("poison")).describedAs("failed sends").isEqualTo(6);
            assertThat(refusals).containsOnlyKeys(0, 1, 2, 3, 4, 5);
            for (int i = 0; i < 5; i++) {
                assertThat(Duration.ofNanos(refusals.get(i + 1) - refusals.get(i)))
                        .describedAs("wait %d", i)
                        .isGreaterThanOrEqualTo(Duration.ofMillis(SCHEDULE_MS.get(i)));
            }
            String row = DATABASE.ask("select id from outbox_events where event_id = ?::uuid", poison);
            await().atMost(Worker.PATIENCE)
                    .untilAsserted(() -> assertThat(alerts).anySatisfy(alert -> {
                        assertThat(alert.rule()).isEqualTo(Alert.DEAD_LETTER);
                        assertThat(alert.fields()).containsEntry("id", row);
                    }));
            try (Topic topic = new Topic("embedded-order-events")) {
                await().atMost(Worker.PATIENCE).until(() -> topic.of("good").size() >= 1);
                assertThat(topic.of("good").get(0).payload().text()).contains(good.toString());
                assertThat(topic.of("poison")).isEmpty();
            }
        }
    }

    private static int retriesOf(String aggregateId) {
        return DATABASE.count("select retry_count from order_event_status where aggregate_id = ?", aggregateId);
    }
}
