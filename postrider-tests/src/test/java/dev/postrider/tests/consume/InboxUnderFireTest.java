package dev.postrider.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.tests.support.ChildJvm;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * 10 000 events, each delivered one to four times and to any partition, so that several consumers meet the same one at the
 * same time. Three consumers share them, and are killed in the middle of their work.
 */
@Tag(Torture.ONLY)
class InboxUnderFireTest {
    private static final int EVENTS = 10_000;
    private static final int CONSUMERS = 3;
    private static final int KILLS = 6;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("dev.postrider.tests.support.Torture#servers")
    void everyEffectHappensOnce(TestServer server) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Process> consumers = new ArrayList<>();
        try (TestDatabase database = TestDatabase.empty(server);
                ConsumedTopic topic = new ConsumedTopic(6)) {
            InboxSchema.migrate(database.dataSource());
            database.execute("create table booking (amount integer)");
            long sum = send(topic, random);
            for (int i = 0; i < CONSUMERS; i++) {
                consumers.add(start(topic, database));
            }
            int kills = 0;
            while (kills < KILLS) {
                long before = booked(database);
                // Wait for progress, so that they are killed at work.
                await().atMost(Duration.ofMinutes(2))
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> booked(database) > before || topic.isAllCommitted());
                int victim = random.nextInt(CONSUMERS);
                consumers.get(victim).destroyForcibly().waitFor();
                consumers.set(victim, start(topic, database));
                kills++;
            }
            await().atMost(Duration.ofMinutes(4)).until(topic::isAllCommitted);

            assertThat(database.one("select count(*) || ' ' || sum(amount) from booking"))
                    .as("seed %s", seed)
                    .isEqualTo(EVENTS + " " + sum);
        } finally {
            consumers.forEach(Process::destroyForcibly);
        }
    }

    private static long booked(TestDatabase database) {
        return Long.parseLong(database.one("select count(*) from booking"));
    }

    private static long send(ConsumedTopic topic, Random random) {
        long sum = 0;
        List<OutboxEvent> deliveries = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            int amount = 1 + random.nextInt(1000);
            sum += amount;
            OutboxEvent event = OutboxEvent.builder(ConsumedTopic.TYPE)
                    .aggregate("account", "0")
                    .source("bank")
                    .json(String.valueOf(amount))
                    .build();
            for (int times = 1 + random.nextInt(4); times > 0; times--) {
                deliveries.add(elsewhere(event, random.nextInt(1000)));
            }
        }
        Collections.shuffle(deliveries, random);
        topic.sendAll(deliveries);
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

    private Process start(ConsumedTopic topic, TestDatabase database) throws Exception {
        return ChildJvm.of(
                        BookkeepingConsumer.class,
                        List.of("-Xmx128m"),
                        DevKafka.shared().bootstrapServers(),
                        topic.group(),
                        topic.name(),
                        database.jdbcUrl(),
                        database.user(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("consumers.out").toFile()))
                .start();
    }
}
