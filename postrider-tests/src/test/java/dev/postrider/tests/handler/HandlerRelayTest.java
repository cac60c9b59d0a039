package dev.postrider.tests.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.failure.DeadLetterSettings.Then;
import dev.postrider.publish.handler.HandlerPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.net.ConnectException;
import java.nio.file.Path;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A relay whose destination are functions of the application. */
@Tag(Torture.ALSO)
class HandlerRelayTest {
    private static final String TYPE = "acme.order.created.v1";
    private static final int KEYS = 8;
    private static final int EVENTS_OF_A_KEY = 10;
    private static final String POISONED = "key-3 5";

    @TempDir
    private Path directory;

    static Stream<Arguments> outboxes() {
        Stream<Arguments> everyBuild = Stream.of(
                Arguments.of(TestServer.POSTGRES, OutboxLayout.log(2)),
                Arguments.of(TestServer.POSTGRES, OutboxLayout.claim()));
        return Torture.isOn()
                ? Stream.concat(everyBuild, Stream.of(Arguments.of(TestServer.MARIADB, OutboxLayout.claim())))
                : everyBuild;
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void eachAggregateIsHandledInOrderAndThePoisonedEventIsADeadLetterThatTheOthersPass(
            TestServer server, OutboxLayout layout) {
        Moody handler = new Moody();
        try (TestDatabase database = open(server, layout);
                Relay relay = relay(database, handlers(handler), Then.CONTINUE)) {
            insertAll(database);
            relay.start();

            await().until(() -> handler.count() == KEYS * EVENTS_OF_A_KEY - 1);
            await().until(() -> deadLetters(database).equals(List.of("IllegalArgumentException")));
        }
        assertThat(handler.handled.get("key-3")).containsExactly(1, 2, 3, 4, 6, 7, 8, 9, 10);
        handler.assertOthersAreComplete();
        assertThat(handler.together)
                .as("handled together with another of its key")
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void withHoldKeyNothingBehindThePoisonedEventIsHandled(TestServer server, OutboxLayout layout) {
        Moody handler = new Moody();
        try (TestDatabase database = open(server, layout);
                Relay relay = relay(database, handlers(handler), Then.HOLD_KEY)) {
            insertAll(database);
            relay.start();

            await().until(() -> handler.count() == (KEYS - 1) * EVENTS_OF_A_KEY + 4);
            await().until(() -> deadLetters(database).equals(List.of("IllegalArgumentException")));
            // Whatever would pass the dead letter is older than this one.
            insert(database, TYPE, "key-after", 1);
            await().until(() -> handler.handled.containsKey("key-after"));
        }
        assertThat(handler.handled.get("key-3")).containsExactly(1, 2, 3, 4);
        handler.assertOthersAreComplete();
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void eventWithoutAHandlerIsADeadLetterAtOnceThatSaysHowToRegisterOne(TestServer server, OutboxLayout layout) {
        Moody handler = new Moody();
        try (TestDatabase database = open(server, layout);
                Relay relay = relay(database, handlers(handler), Then.CONTINUE)) {
            insert(database, "acme.order.shipped.v1", "a", 1);
            insert(database, TYPE, "a", 2);
            relay.start();

            await().until(() -> handler.count() == 1);
            await().until(() -> deadLetters(database).equals(List.of("unroutable")));
            assertThat(database.one("select reason from outbox_dead_letter"))
                    .contains(".on(\"acme.order.shipped.v1\"")
                    .contains(TYPE);
        }
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void typeWhoseHandlerTakesLongDoesNotFillTheRelaysHands(TestServer server, OutboxLayout layout) {
        String slow = "acme.report.wanted.v1";
        CountDownLatch goOn = new CountDownLatch(1);
        Set<String> reports = ConcurrentHashMap.newKeySet();
        Set<String> orders = ConcurrentHashMap.newKeySet();
        HandlerPublisher publisher = HandlerPublisher.builder()
                .on(slow, event -> {
                    goOn.await();
                    reports.add(event.aggregateId());
                })
                .on(TYPE, event -> orders.add(event.aggregateId()))
                .concurrency(2)
                .build();
        int batch = 20;
        int many = 5 * batch;
        try (TestDatabase database = open(server, layout);
                Relay relay = Relay.builder(database.dataSource(), publisher)
                        .settings(settings(Then.CONTINUE).batchSize(batch).build())
                        .build()) {
            for (int n = 0; n < many; n++) {
                insert(database, slow, "report-" + n, n);
            }
            insert(database, TYPE, "order", 1);
            relay.start();
            await().until(() -> orders.contains("order"));

            goOn.countDown();
            await().until(() -> reports.size() == many);
        }
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void keyWhoseHandlerTakesLongDoesNotFillTheRelaysHands(TestServer server, OutboxLayout layout) {
        int batch = 20;
        int many = 10 * batch;
        // Not enough to keep in memory what waits for the slow ones.
        int bytes = 20_000;
        CountDownLatch goOn = new CountDownLatch(1);
        List<Integer> slow = new CopyOnWriteArrayList<>();
        Set<String> others = ConcurrentHashMap.newKeySet();
        HandlerPublisher publisher = HandlerPublisher.builder()
                .on(TYPE, event -> {
                    if (event.aggregateId().startsWith("slow")) {
                        goOn.await();
                        slow.add(Integer.parseInt(event.payload().text()));
                    } else {
                        others.add(event.aggregateId());
                    }
                })
                .concurrency(2)
                .timeout(Duration.ofHours(1))
                .build();
        try (TestDatabase database = open(server, layout);
                Relay relay = Relay.builder(database.dataSource(), publisher)
                        .settings(settings(Then.CONTINUE)
                                .batchSize(batch)
                                .maxBatchBytes(bytes)
                                .maxEventBytes(bytes)
                                .build())
                        .build()) {
            for (int n = 1; n <= many; n++) {
                insert(database, TYPE, "slow", n);
            }
            for (int n = 1; n <= many; n++) {
                insert(database, TYPE, "order-" + n, n);
            }
            relay.start();
            await().until(() -> others.size() == many);

            goOn.countDown();
            await().until(() -> slow.size() == many);
        }
        assertThat(slow).isSorted();
    }

    @ParameterizedTest
    @MethodSource("outboxes")
    void handlerThatNeverReturnsHoldsBackNeitherOtherKeysNorTheStop(TestServer server, OutboxLayout layout) {
        CountDownLatch end = new CountDownLatch(1);
        List<String> handled = new CopyOnWriteArrayList<>();
        HandlerPublisher publisher = HandlerPublisher.builder()
                .on(TYPE, event -> {
                    if (event.aggregateId().equals("stuck")) {
                        awaitWhateverHappens(end);
                    }
                    handled.add(event.aggregateId() + " " + event.payload().text());
                })
                .concurrency(2)
                .timeout(Duration.ofMillis(200))
                .build();
        try (TestDatabase database = open(server, layout)) {
            try (Relay relay = relay(database, publisher, Then.CONTINUE)) {
                insert(database, TYPE, "stuck", 1);
                insert(database, TYPE, "stuck", 2);
                for (int n = 1; n <= 20; n++) {
                    insert(database, TYPE, "key-" + n, n);
                }
                relay.start();
                await().until(() -> Set.copyOf(handled).size() == 20);
            }
            // The relay has stopped while the handler is still at work, for the first event of its key.
            assertThat(handled).noneMatch(one -> one.startsWith("stuck"));
        } finally {
            end.countDown();
        }
        await().until(() -> handled.contains("stuck 1"));
        assertThat(handled).doesNotContain("stuck 2");
    }

    @Test
    void typeWhoseMailServerIsDownDoesNotHoldBackOtherTypes() {
        AtomicInteger refused = new AtomicInteger();
        List<String> handled = new CopyOnWriteArrayList<>();
        HandlerPublisher publisher = HandlerPublisher.builder()
                .on("acme.mail.asked.v1", event -> {
                    refused.incrementAndGet();
                    throw new ConnectException("made by a test");
                })
                .on(TYPE, event -> handled.add(event.aggregateId()))
                .build();
        try (TestDatabase database = TestDatabase.withOutbox();
                Relay relay = Relay.builder(database.dataSource(), publisher)
                        .settings(settings(Then.CONTINUE)
                                .circuit(new CircuitSettings(10, 5, 50, Duration.ofHours(1), 1))
                                .build())
                        .build()) {
            for (int n = 1; n <= 10; n++) {
                insert(database, "acme.mail.asked.v1", "mail-" + n, n);
            }
            relay.start();
            await().until(() -> refused.get() > 30);
            insert(database, TYPE, "order", 1);

            await().until(() -> handled.equals(List.of("order")));
            assertThat(relay.state().circuit()).isEqualTo("closed");
        }
    }

    private static void awaitWhateverHappens(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await(50, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                // That is what it is about.
            }
        }
    }

    private static TestDatabase open(TestServer server, OutboxLayout layout) {
        return server == TestServer.POSTGRES ? TestDatabase.withOutbox(layout) : TestDatabase.withOutbox(server);
    }

    private static HandlerPublisher handlers(Moody handler) {
        return HandlerPublisher.builder().on(TYPE, handler).concurrency(4).build();
    }

    private Relay relay(TestDatabase database, HandlerPublisher publisher, Then then) {
        return Relay.builder(database.dataSource(), publisher)
                .settings(settings(then).build())
                .build();
    }

    private RelaySettings.Builder settings(Then then) {
        return RelaySettings.builder()
                .name("handlers")
                .pollInterval(Duration.ofMillis(20))
                .drainTimeout(Duration.ofMillis(500))
                .retry(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10), 0, 2))
                .deadLetters(new DeadLetterSettings(then, directory.resolve("dead-letters.jsonl")));
    }

    private static void insertAll(TestDatabase database) {
        for (int n = 1; n <= EVENTS_OF_A_KEY; n++) {
            for (int key = 1; key <= KEYS; key++) {
                insert(database, TYPE, "key-" + key, n);
            }
        }
    }

    private static void insert(TestDatabase database, String type, String key, int n) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('" + type
                + "', 'order', '" + key + "', '" + n + "')");
    }

    private static List<String> deadLetters(TestDatabase database) {
        return database.column("select error_class from outbox_dead_letter");
    }

    /** Refuses one event always, and many of the others once, for their own fault or for that of a database. */
    private static final class Moody implements HandlerPublisher.Handler {
        final Map<String, List<Integer>> handled = new ConcurrentHashMap<>();
        final List<String> together = new CopyOnWriteArrayList<>();
        private final Set<String> seen = ConcurrentHashMap.newKeySet();
        private final Set<String> atWork = ConcurrentHashMap.newKeySet();

        @Override
        public void handle(OutboxEvent event) throws Exception {
            String key = event.aggregateId();
            int n = Integer.parseInt(event.payload().text());
            if (!atWork.add(key)) {
                together.add(key + " " + n);
            }
            try {
                String name = key + " " + n;
                if (name.equals(POISONED)) {
                    throw new IllegalArgumentException("made by a test");
                }
                boolean first = seen.add(name);
                if (first && n % 4 == 0) {
                    throw new IllegalStateException("made by a test");
                }
                // Not too many at a time, which would be an outage.
                if (first && (key.hashCode() + n) % 5 == 0) {
                    throw new SQLTransientConnectionException("made by a test");
                }
                handled.computeIfAbsent(key, any -> new CopyOnWriteArrayList<>())
                        .add(n);
            } finally {
                atWork.remove(key);
            }
        }

        int count() {
            return handled.values().stream().mapToInt(List::size).sum();
        }

        void assertOthersAreComplete() {
            List<Integer> all =
                    IntStream.rangeClosed(1, EVENTS_OF_A_KEY).boxed().toList();
            for (int key = 1; key <= KEYS; key++) {
                if (key != 3) {
                    assertThat(handled.get("key-" + key)).as("key %s", key).isEqualTo(all);
                }
            }
        }
    }
}
