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
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A publisher in which a failure concerns nothing but its key: the relay goes on without waiting for what is in flight. */
class LoneFailureTest {
    private static final int ROUNDS = 50;

    /**
     * The outcome of an event waits a moment for company before it is settled. What is committed behind a failed event in
     * that moment must wait too.
     */
    @Test
    void nothingBehindAFailedEventIsFetchedBeforeThatIsSettled() throws Exception {
        FirstTimeRefusing publisher = new FirstTimeRefusing();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1));
                Relay relay = Relay.builder(database.dataSource(), publisher)
                        .settings(RelaySettings.builder()
                                .pollInterval(Duration.ofMillis(5))
                                .drainTimeout(Duration.ofMillis(100))
                                .leaseLength(Duration.ofMinutes(1))
                                .retry(new Backoff(Duration.ofMillis(50), 1, Duration.ofMillis(50), 0, 1000))
                                .build())
                        .build();
                Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            relay.start();
            for (int round = 0; round < ROUNDS; round++) {
                String first = "key-" + round + " 1";
                String slow = "slow-" + round;
                statement.execute(insertion("key-" + round, first));
                // In flight until the next round, so that outcomes wait for company.
                statement.execute(insertion(slow, slow));
                connection.commit();
                relay.nudge();
                await().pollInterval(Duration.ofMillis(1)).until(() -> publisher.waiting.containsKey(slow));
                publisher.accept("slow-" + (round - 1));

                statement.execute(insertion("key-" + round, "key-" + round + " 2"));
                publisher.waiting.get(first).complete(new PublishResult.Rejected("not the first time", false));
                connection.commit();
                relay.nudge();
            }
            publisher.accept("slow-" + (ROUNDS - 1));

            await().until(() -> publisher.accepted.size() == 2 * ROUNDS);
            for (int round = 0; round < ROUNDS; round++) {
                assertThat(publisher.accepted).containsSubsequence("key-" + round + " 1", "key-" + round + " 2");
            }
        }
    }

    private static String insertion(String key, String body) {
        return "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('acme.a.b.v1', 'a', '"
                + key + "', '\"" + body + "\"')";
    }

    /** Leaves each event's first attempt to the test, but for a key's second event, and accepts everything else. */
    private static final class FirstTimeRefusing implements Publisher {
        final Map<String, CompletableFuture<PublishResult>> waiting = new ConcurrentHashMap<>();
        final List<String> accepted = new CopyOnWriteArrayList<>();

        void accept(String body) {
            CompletableFuture<PublishResult> answer = waiting.get(body);
            if (answer != null) {
                answer.complete(new PublishResult.Accepted());
            }
        }

        @Override
        public String destination(OutboxEvent event) {
            return "here";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            String body = event.payload().text().replace("\"", "");
            if (!body.endsWith(" 2") && !waiting.containsKey(body)) {
                CompletableFuture<PublishResult> answer = new CompletableFuture<>();
                waiting.put(body, answer);
                return answer;
            }
            accepted.add(body);
            return CompletableFuture.completedFuture(new PublishResult.Accepted());
        }

        @Override
        public void halt() {
            waiting.values().forEach(answer -> answer.complete(new PublishResult.Unresolved()));
        }

        @Override
        public void close() {
            halt();
        }
    }
}
