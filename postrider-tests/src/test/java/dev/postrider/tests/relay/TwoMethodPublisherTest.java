package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A publisher that says where events go and takes them, and leaves everything else to the relay. */
class TwoMethodPublisherTest {
    private static final int KEYS = 10;
    private static final int EVENTS_OF_A_KEY = 20;

    static Stream<OutboxLayout> layouts() {
        return Stream.of(OutboxLayout.log(2), OutboxLayout.claim());
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void eventsOfAKeyAreAcceptedOnceAndInOrderWhateverFails(OutboxLayout layout) {
        FailsAtRandom publisher = new FailsAtRandom(new Random(42));
        try (TestDatabase database = TestDatabase.withOutbox(layout);
                Relay relay = relay(database, publisher, Duration.ofSeconds(10))) {
            for (int n = 1; n <= EVENTS_OF_A_KEY; n++) {
                for (int key = 0; key < KEYS; key++) {
                    insert(database, "key-" + key, n);
                }
            }
            relay.start();

            await().until(() ->
                    publisher.accepted.values().stream().mapToInt(List::size).sum() >= KEYS * EVENTS_OF_A_KEY);
        } finally {
            publisher.threads.shutdown();
        }
        assertThat(publisher.accepted).hasSize(KEYS);
        publisher.accepted.forEach((key, bodies) -> assertThat(bodies)
                .as(key)
                .isEqualTo(IntStream.rangeClosed(1, EVENTS_OF_A_KEY)
                        .mapToObj(Integer::toString)
                        .toList()));
    }

    /** Whoever takes over may be sending it already. */
    @Test
    void relayThatIsToSendNothingMoreHandsNothingOver() {
        Held publisher = new Held();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1));
                Relay relay = relay(database, publisher, Duration.ofMillis(50))) {
            insert(database, "a", 1);
            insert(database, "a", 2);
            insert(database, "b", 3);
            relay.start();
            await().until(() -> publisher.taken.size() == 2);

            CompletableFuture<Void> stopped = CompletableFuture.runAsync(relay::stop);
            // Past its deadline: the relay waits for what is in flight, and for nothing else.
            await().until(publisher.halted::isDone);
            publisher.answers.get("1").complete(new PublishResult.Accepted());
            publisher.answers.get("3").complete(new PublishResult.Accepted());
            stopped.join();
        }
        assertThat(publisher.taken).containsExactlyInAnyOrder("1", "3");
    }

    private static Relay relay(TestDatabase database, Publisher publisher, Duration drainTimeout) {
        return Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name("two-methods")
                        .pollInterval(Duration.ofMillis(20))
                        .drainTimeout(drainTimeout)
                        .retry(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10), 0, 1000))
                        .build())
                .build();
    }

    private static void insert(TestDatabase database, String key, int body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "')");
    }

    /** Of what it is given, every third fails, one way or another. */
    private static final class FailsAtRandom implements Publisher {
        final Map<String, List<String>> accepted = new ConcurrentHashMap<>();
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        private final Random random;

        FailsAtRandom(Random random) {
            this.random = random;
        }

        @Override
        public String destination(OutboxEvent event) {
            return "here";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            switch (random.nextInt(12)) {
                case 0:
                    throw new IllegalStateException("made by a test");
                case 1:
                    return CompletableFuture.completedFuture(new PublishResult.Rejected("at once", false));
                case 2:
                    return CompletableFuture.supplyAsync(
                            () -> new PublishResult.Rejected("by another thread", false), threads);
                case 3:
                    return CompletableFuture.failedFuture(new IllegalStateException("made by a test"));
                default:
                    return CompletableFuture.supplyAsync(
                            () -> {
                                accepted.computeIfAbsent(event.aggregateId(), key -> new CopyOnWriteArrayList<>())
                                        .add(event.payload().text());
                                return new PublishResult.Accepted();
                            },
                            threads);
            }
        }
    }

    /** Answers when the test does; and tells when it is halted, which changes nothing. */
    private static final class Held implements Publisher {
        final List<String> taken = new CopyOnWriteArrayList<>();
        final Map<String, CompletableFuture<PublishResult>> answers = new ConcurrentHashMap<>();
        final CompletableFuture<Void> halted = new CompletableFuture<>();

        @Override
        public String destination(OutboxEvent event) {
            return "here";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            String body = event.payload().text();
            CompletableFuture<PublishResult> answer = answers.computeIfAbsent(body, one -> new CompletableFuture<>());
            taken.add(body);
            return answer;
        }

        @Override
        public void halt() {
            halted.complete(null);
        }
    }
}
