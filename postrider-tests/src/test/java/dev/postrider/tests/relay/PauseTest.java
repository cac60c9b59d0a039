package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.postrider.Delivery;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.RelayState.Phase;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.handler.HandlerPublisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An outbox that an operator pauses under load. */
@Tag(Torture.ALSO)
class PauseTest {
    private static final int KEYS = 5;

    enum Kind {
        CLAIM,
        LOG,
        MARIADB;

        TestDatabase open() {
            return switch (this) {
                case CLAIM -> TestDatabase.withOutbox();
                case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
                case MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void whilePausedNothingIsSentWhoeverRestartsAndThenEverythingComesInOrder(Kind kind) throws Exception {
        assumeTrue(kind != Kind.MARIADB || Torture.isOn());
        RecordingPublisher first = RecordingPublisher.acceptingAll();
        RecordingPublisher second = RecordingPublisher.acceptingAll();
        try (TestDatabase database = kind.open();
                Writer writer = new Writer(database)) {
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            try (Relay relay = relay(database, first)) {
                relay.start();
                await().until(() -> first.accepted().size() > 100);

                admin.pause("alice", "consumers move");

                await().until(() -> relay.state().phase() == Phase.PAUSED);
                assertThat(relay.state().reason()).contains("by alice since ", "consumers move");
            }
            try (Relay relay = relay(database, second)) {
                relay.start();
                assertThat(relay.state().phase()).as("from its first moment").isEqualTo(Phase.PAUSED);
                int before = writer.written();
                await().until(() -> writer.written() > before + 100);
                relay.nudge();
                awaitRenewals(database, 3);
                assertThat(second.accepted()).isEmpty();

                admin.resume("alice");

                await().until(() -> !second.accepted().isEmpty());
                writer.stop();
                await().until(() -> first.accepted().size() + second.accepted().size() >= writer.written());
                assertThat(relay.state().phase()).isEqualTo(Phase.RUNNING);
            }
            for (int key = 0; key < KEYS; key++) {
                List<Integer> came = new CopyOnWriteArrayList<>(bodies(first, key));
                came.addAll(bodies(second, key));
                assertThat(came).isEqualTo(writer.writtenTo(key));
            }
            assertThat(admin.audit(10)).extracting(entry -> entry.action()).containsExactly("resume", "pause");
        }
    }

    @Test
    @Tag(Torture.ONLY)
    void exactlyOnceStaysExactlyOnce() throws Exception {
        TestTopics topics = new TestTopics("pause");
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
                Writer writer = new Writer(database)) {
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            for (int round = 0; round < 3; round++) {
                try (Relay relay = relay(database, kafka(topics))) {
                    relay.start();
                    int before = writer.written();
                    await().until(() -> writer.written() > before + 100);
                    admin.pause("alice", "round " + round);
                    await().until(() -> relay.state().phase() == Phase.PAUSED);
                }
                try (Relay relay = relay(database, kafka(topics))) {
                    relay.start();
                    awaitRenewals(database, 3);
                    admin.resume("alice");
                    await().until(() -> relay.state().phase() == Phase.RUNNING);
                }
            }
            writer.stop();
            try (Relay relay = relay(database, kafka(topics))) {
                relay.start();
                await().until(() -> admin.status().oldestUnsent() == null);
            }
            Map<String, List<String>> came = CommittedRecords.byKey(topics.partitions("order-events", 1));
            for (int key = 0; key < KEYS; key++) {
                assertThat(came.getOrDefault("key-" + key, List.of()).stream().map(Integer::parseInt))
                        .containsExactlyElementsOf(writer.writtenTo(key));
            }
        }
    }

    @Test
    void whatWaitsBehindAnEventInFlightIsGivenBack() {
        List<CompletableFuture<PublishResult>> unanswered = new CopyOnWriteArrayList<>();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (TestDatabase database = TestDatabase.withOutbox()) {
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            insert(database, 0, 1);
            insert(database, 0, 2);
            try (Relay relay = Relay.builder(database.dataSource(), new Held(unanswered))
                    .settings(settings())
                    .listener(new RelayMetrics(registry, "outbox"))
                    .build()) {
                relay.start();
                await().until(() -> unanswered.size() == 1);
                admin.pause("alice", "consumers move");
                await().until(() -> relay.state().phase() == Phase.PAUSED);
                assertThat(registry.get("outbox.paused").gauge().value()).isEqualTo(1);
                await().until(() -> statuses(database).equals(List.of("SENDING", "PENDING")));

                unanswered.get(0).complete(new PublishResult.Accepted());

                await().until(() -> statuses(database).equals(List.of("PUBLISHED", "PENDING")));
                assertThat(unanswered).hasSize(1);
                admin.resume("alice");
                await().until(() -> unanswered.size() == 2);
                assertThat(registry.get("outbox.paused").gauge().value()).isZero();
            }
        }
    }

    @Test
    void whatNoHandlerHasBegunIsGivenBackAndWhatIsAtWorkIsSettled() {
        CountDownLatch end = new CountDownLatch(1);
        List<String> begun = new CopyOnWriteArrayList<>();
        HandlerPublisher handlers = HandlerPublisher.builder()
                .on("acme.order.paid.v1", event -> {
                    begun.add(event.aggregateId());
                    end.await();
                })
                .concurrency(1)
                .timeout(Duration.ofMinutes(1))
                .build();
        try (TestDatabase database = TestDatabase.withOutbox()) {
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            insert(database, 0, 1);
            insert(database, 1, 2);
            insert(database, 2, 3);
            try (Relay relay = relay(database, handlers)) {
                relay.start();
                await().until(() -> begun.size() == 1);
                admin.pause("alice", "consumers move");

                await().until(() -> statuses(database).equals(List.of("SENDING", "PENDING", "PENDING")));
                end.countDown();

                await().until(() -> statuses(database).equals(List.of("PUBLISHED", "PENDING", "PENDING")));
                assertThat(begun).containsExactly("key-0");
                admin.resume("alice");
                await().until(() -> begun.size() == 3);
            }
        }
    }

    private static List<String> statuses(TestDatabase database) {
        return database.column("select status from outbox order by id");
    }

    private static Publisher kafka(TestTopics topics) {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .property("linger.ms", "0")
                .build();
    }

    private static Relay relay(TestDatabase database, Publisher publisher) {
        return Relay.builder(database.dataSource(), publisher)
                .settings(settings())
                .build();
    }

    private static RelaySettings settings() {
        return RelaySettings.builder()
                .name("relay")
                .batchSize(20)
                .pollInterval(Duration.ofMillis(20))
                .build();
    }

    /** The relay has lived for so long. */
    private static void awaitRenewals(TestDatabase database, int wanted) {
        String expiry = "select max(expires_at) from outbox_lease where name like 'relay/%'";
        for (int renewal = 0; renewal < wanted; renewal++) {
            String before = database.one(expiry);
            await().until(() -> !database.one(expiry).equals(before));
        }
    }

    private static List<Integer> bodies(RecordingPublisher publisher, int key) {
        return publisher.accepted().stream()
                .filter(event -> event.aggregateId().equals("key-" + key))
                .map(event -> Integer.parseInt(event.payload().text()))
                .toList();
    }

    private static void insert(TestDatabase database, int key, int body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.paid.v1', 'order', 'key-" + key + "', '" + body + "')");
    }

    /** Writes until it is stopped. */
    private static final class Writer implements AutoCloseable {
        private final AtomicInteger written = new AtomicInteger();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final CompletableFuture<Void> writing;

        Writer(TestDatabase database) {
            writing = CompletableFuture.runAsync(() -> {
                while (!stopped.get()) {
                    insert(database, written.get() % KEYS, written.get());
                    written.incrementAndGet();
                }
            });
        }

        int written() {
            return written.get();
        }

        List<Integer> writtenTo(int key) {
            return IntStream.range(0, written())
                    .filter(body -> body % KEYS == key)
                    .boxed()
                    .toList();
        }

        void stop() {
            stopped.set(true);
            writing.join();
        }

        @Override
        public void close() {
            stop();
        }
    }

    /** Answers when the test does. */
    private record Held(List<CompletableFuture<PublishResult>> unanswered) implements Publisher {
        @Override
        public String destination(OutboxEvent event) {
            return "held";
        }

        @Override
        public CompletableFuture<PublishResult> publish(OutboxEvent event, String destination) {
            CompletableFuture<PublishResult> answer = new CompletableFuture<>();
            unanswered.add(answer);
            return answer;
        }

        @Override
        public boolean mayFollowInFlight(OutboxEvent event, String destination) {
            return false;
        }

        @Override
        public void halt() {
            unanswered.forEach(answer -> answer.complete(new PublishResult.Unresolved()));
        }

        @Override
        public void resume() {}

        @Override
        public void close() {}
    }
}
