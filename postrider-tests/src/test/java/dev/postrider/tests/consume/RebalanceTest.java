package dev.postrider.tests.consume;

import static dev.postrider.tests.consume.ConsumedTopic.PATIENCE;
import static dev.postrider.tests.consume.ConsumedTopic.retryAfter;
import static dev.postrider.tests.consume.KafkaEventConsumerTest.assertInOrderPerKey;
import static dev.postrider.tests.consume.KafkaEventConsumerTest.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.ConsumerListener;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Partitions that change hands while a record of theirs is being retried. */
class RebalanceTest {
    private static final int KEYS = 12;
    private static final int EVENTS = 5 * KEYS;

    /** By which consumer, and where. */
    private record Attempt(String consumer, Origin origin) {}

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<Attempt> attempts = new CopyOnWriteArrayList<>();
    private final Map<String, Set<TopicPartition>> owned =
            Map.of("first", ConcurrentHashMap.newKeySet(), "second", ConcurrentHashMap.newKeySet());
    private volatile boolean cured;

    @Test
    void nothingIsLostReorderedOrCommittedTooEarly() {
        try (ConsumedTopic topic = new ConsumedTopic(4)) {
            topic.sendMany(EVENTS, KEYS);
            KafkaEventConsumer first = topic.start(consumer(topic, "first"));
            await().atMost(PATIENCE).until(() -> partitionsTried().size() == 4 && handled.size() >= EVENTS / 3);

            topic.start(consumer(topic, "second"));
            await().atMost(PATIENCE)
                    .until(() -> owned.get("first").size() == 2
                            && owned.get("second").size() == 2);
            Map<Integer, Long> stuck = firstTried();
            attempts.clear();
            await().atMost(PATIENCE).until(() -> partitionsTried().size() == 4 && attempts.size() >= 20);
            assertThat(attempts)
                    .as("who has lost a partition has nothing to do with it any more")
                    .allMatch(attempt -> owned.get(attempt.consumer())
                            .contains(new TopicPartition(
                                    topic.name(), attempt.origin().partition())));
            assertThat(topic.committed()).isEqualTo(stuck);
            topic.sendMany(EVENTS, KEYS);

            first.stop();
            await().atMost(PATIENCE).until(() -> owned.get("second").size() == 4);
            attempts.clear();
            await().atMost(PATIENCE).until(() -> partitionsTried().size() == 4);
            assertThat(topic.committed()).isEqualTo(stuck);
            cured = true;
            await().atMost(PATIENCE).until(topic::isAllCommitted);

            assertThat(handled.stream().distinct()).hasSize(EVENTS);
            assertInOrderPerKey(handled.stream().distinct().toList(), KEYS);
            for (int body = 0; body < EVENTS; body++) {
                String one = Integer.toString(body);
                assertThat(handled.stream().filter(one::equals).count())
                        .as(one + ", sent twice")
                        .isGreaterThanOrEqualTo(2);
            }
        }
    }

    private Set<Integer> partitionsTried() {
        return attempts.stream().map(attempt -> attempt.origin().partition()).collect(Collectors.toSet());
    }

    /** The first record of each partition that fails: beyond it nothing may be committed. */
    private Map<Integer, Long> firstTried() {
        return attempts.stream()
                .map(Attempt::origin)
                .collect(Collectors.toMap(Origin::partition, Origin::offset, Math::min));
    }

    private KafkaEventConsumer.Builder consumer(ConsumedTopic topic, String name) {
        return topic.consumer()
                .settings(ConsumedTopic.settings(name, 1000)
                        .retry(retryAfter(Duration.ofMillis(100), 1000))
                        .heartbeatInterval(Duration.ofMillis(200))
                        .build())
                .listener(new ConsumerListener() {
                    @Override
                    public void assigned(Set<TopicPartition> added) {
                        owned.get(name).addAll(added);
                    }

                    @Override
                    public void released(Set<TopicPartition> removed) {
                        owned.get(name).removeAll(removed);
                    }
                })
                .handler(event -> {
                    if (isPoisoned(body(event)) && !cured) {
                        attempts.add(new Attempt(name, event.origin()));
                        throw new IllegalStateException("not yet");
                    }
                    handled.add(body(event));
                });
    }

    /** The first event of two thirds of the keys, so that there is one in each partition. */
    private static boolean isPoisoned(String body) {
        int number = Integer.parseInt(body);
        return number < KEYS && number % 3 != 0;
    }
}
