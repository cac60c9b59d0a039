package dev.postrider.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.kafka.ContentMode;
import dev.postrider.spring.ChildProcess;
import dev.postrider.spring.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Events that are each delivered one to four times and to any partition, so that several processes meet the same one at the
 * same time. The processes are killed in the middle of their work.
 */
class ListenersUnderFireTest {
    @TempDir
    private Path directory;

    @Test
    void everyEffectHappensOnce() throws Exception {
        everyEffectHappensOnce(600, 2, 1);
    }

    @Test
    @Tag("torture")
    void everyOneOfTenThousandEffectsHappensOnce() throws Exception {
        everyEffectHappensOnce(10_000, 3, 6);
    }

    private void everyEffectHappensOnce(int events, int processes, int kills) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String url = TestDatabase.create();
        JdbcTemplate database =
                new JdbcTemplate(new DriverManagerDataSource(url, TestDatabase.user(url), TestDatabase.password(url)));
        database.execute("create table booking (amount integer)");
        List<Process> running = new ArrayList<>();
        try (EventsTopic topic = new EventsTopic(6)) {
            long sum = send(topic, events, random);
            for (int i = 0; i < processes; i++) {
                running.add(start(topic, url));
            }
            for (int killed = 0; killed < kills; killed++) {
                long before = booked(database);
                // Wait for progress, so that they are killed at work.
                await().atMost(Duration.ofMinutes(2))
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> booked(database) > before || topic.isAllCommitted());
                int victim = random.nextInt(processes);
                running.get(victim).destroyForcibly().waitFor();
                running.set(victim, start(topic, url));
            }
            try (ConfigurableApplicationContext survivor = Bookkeeping.application()
                    .properties(TestDatabase.properties(url))
                    .properties(topic.properties())
                    .run()) {
                await().atMost(Duration.ofMinutes(4)).until(() -> survivor.isRunning() && topic.isAllCommitted());
            }

            assertThat(database.queryForObject("select count(*) || ' ' || sum(amount) from booking", String.class))
                    .as("seed %s", seed)
                    .isEqualTo(events + " " + sum);
        } finally {
            running.forEach(Process::destroyForcibly);
        }
    }

    private static long booked(JdbcTemplate database) {
        return database.queryForObject("select count(*) from booking", Long.class);
    }

    private static long send(EventsTopic topic, int events, Random random) {
        long sum = 0;
        List<OutboxEvent> deliveries = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            int amount = 1 + random.nextInt(1000);
            sum += amount;
            OutboxEvent event = EventsTopic.event("0", String.valueOf(amount)).build();
            for (int times = 1 + random.nextInt(4); times > 0; times--) {
                deliveries.add(elsewhere(event, random.nextInt(1000)));
            }
        }
        Collections.shuffle(deliveries, random);
        topic.send(ContentMode.BINARY, deliveries);
        return sum;
    }

    /** The same event with another key, and so in another partition. */
    private static OutboxEvent elsewhere(OutboxEvent event, int key) {
        return OutboxEvent.builder(event.type())
                .id(event.id())
                .aggregate(event.aggregateType(), event.aggregateId())
                .source(event.source())
                .payload(event.payload())
                .key(String.valueOf(key))
                .build();
    }

    private Process start(EventsTopic topic, String url) {
        return ChildProcess.start(
                Bookkeeping.class,
                directory.resolve("consumers.log"),
                Stream.concat(Arrays.stream(TestDatabase.properties(url)), Arrays.stream(topic.properties()))
                        .map(property -> "--" + property)
                        .toArray(String[]::new));
    }
}
