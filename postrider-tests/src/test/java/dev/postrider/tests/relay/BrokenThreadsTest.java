package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.ErringDataSource;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An {@code Error}, such as want of memory, on each of a relay's threads: told, and got over. */
class BrokenThreadsTest {
    private static final int BATCH = 50;
    private static final int EVENTS = 8 * BATCH;

    /** The loop, and beside it who reads ahead, renews the lease, listens, keeps house. */
    @ParameterizedTest
    @ValueSource(strings = {"", "-read", "-lease", "-listen", "-housekeeping"})
    void relayOfALogGetsOverAnErrorOnAnyOfItsThreads(String thread) {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2))) {
            assertEverythingArrives(database, thread);
        }
    }

    /** The loop, and beside it who records deliveries, and renews the lease. */
    @ParameterizedTest
    @ValueSource(strings = {"", "-settle", "-lease"})
    void relayOfClaimsGetsOverAnErrorOnAnyOfItsThreads(String thread) {
        try (TestDatabase database = TestDatabase.withOutbox()) {
            assertEverythingArrives(database, thread);
            await().untilAsserted(() -> assertThat(database.column("select distinct status from outbox"))
                    .as("every delivery is recorded")
                    .containsExactly("PUBLISHED"));
        }
    }

    private static void assertEverythingArrives(TestDatabase database, String thread) {
        ErringDataSource erring = new ErringDataSource(database.dataSource());
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        boolean atTheBeginning = thread.equals("-listen") || thread.equals("-housekeeping");
        if (atTheBeginning) {
            // These make statements, and then wait for a long time.
            erring.strike("postrider-broken" + thread);
        }
        try (Relay relay = Relay.builder(erring.dataSource(), publisher)
                .settings(settings().build())
                .build()) {
            relay.start();
            write(database, 1, EVENTS);
            await().until(() -> publisher.accepted().size() >= EVENTS);

            if (!atTheBeginning) {
                erring.strike("postrider-broken" + thread);
            }
            write(database, EVENTS + 1, 2 * EVENTS);
            await().until(erring::hasStruck);
            write(database, 2 * EVENTS + 1, 3 * EVENTS);

            await().untilAsserted(() -> assertThat(publisher.acceptedBodies()).containsAll(bodies(1, 3 * EVENTS)));
        }
        assertThat(threadsOf("broken")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0", "-lease"})
    void relayThatDeliversExactlyOnceGetsOverAnErrorOnAnyOfItsThreads(String thread) {
        TestTopics topics = new TestTopics("broken");
        topics.create("order-events", 1);
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE))) {
            ErringDataSource erring = new ErringDataSource(database.dataSource());
            try (Relay relay = Relay.builder(
                            erring.dataSource(),
                            KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                    .routing(topics.routing())
                                    .build())
                    .settings(settings().build())
                    .build()) {
                relay.start();
                write(database, 1, BATCH);
                await().until(() -> delivered(topics).size() >= BATCH);

                erring.strike("postrider-broken" + thread);
                write(database, BATCH + 1, 2 * BATCH);
                await().until(erring::hasStruck);
                write(database, 2 * BATCH + 1, 3 * BATCH);

                await().until(() -> delivered(topics).size() >= 3 * BATCH);
                assertThat(delivered(topics)).containsExactlyInAnyOrderElementsOf(bodies(1, 3 * BATCH));
            }
        }
    }

    private static List<String> delivered(TestTopics topics) {
        List<String> all = new ArrayList<>();
        Map<String, List<String>> byKey = CommittedRecords.byKey(topics.partitions("order-events", 1));
        byKey.values().forEach(all::addAll);
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void errorOfADestinationOrOfAListenerIsGotOver(TestServer server) {
        try (TestDatabase database = TestDatabase.withOutbox(server)) {
            AtomicBoolean publisherThrows = new AtomicBoolean(true);
            AtomicBoolean listenerThrows = new AtomicBoolean(true);
            RecordingPublisher publisher = RecordingPublisher.answering(event -> {
                if (event.payload().text().equals("20") && publisherThrows.getAndSet(false)) {
                    throw new NoClassDefFoundError("made by a test");
                }
                return new PublishResult.Accepted();
            });
            RelayListener listener = new RelayListener() {
                @Override
                public void published(OutboxEvent event, Duration latency) {
                    if (event.payload().text().equals("60") && listenerThrows.getAndSet(false)) {
                        throw new AssertionError("made by a test");
                    }
                }
            };
            try (Relay relay = Relay.builder(database.dataSource(), publisher)
                    .settings(settings().build())
                    .listener(listener)
                    .build()) {
                relay.start();
                for (int n = 1; n <= 100; n++) {
                    write(database, n);
                }
                await().untilAsserted(
                                () -> assertThat(publisher.acceptedBodies()).containsAll(bodies(1, 100)));
                await().untilAsserted(() -> assertThat(database.column("select distinct status from outbox"))
                        .containsExactly("PUBLISHED"));
            }
            assertThat(publisherThrows).isFalse();
            assertThat(listenerThrows).isFalse();
        }
    }

    @Test
    void errorOfAnAlertChannelDoesNotSilenceTheAlerts() {
        try (TestDatabase database = TestDatabase.withOutbox()) {
            List<Alert> alerts = new CopyOnWriteArrayList<>();
            AtomicBoolean throwing = new AtomicBoolean(true);
            AlertChannel channel = alert -> {
                if (throwing.getAndSet(false)) {
                    throw new AssertionError("made by a test");
                }
                alerts.add(alert);
            };
            RecordingPublisher publisher =
                    RecordingPublisher.answering(event -> new PublishResult.Rejected("hopeless", "no", true));
            try (Relay relay = Relay.builder(database.dataSource(), publisher)
                    .settings(settings().build())
                    .alerts(AlertRules.builder().build(), List.of(channel))
                    .build()) {
                relay.start();
                write(database, 1);
                await().until(() -> !throwing.get());
                write(database, 2);

                await().untilAsserted(() -> assertThat(alerts).isNotEmpty());
            }
        }
    }

    private static RelaySettings.Builder settings() {
        return RelaySettings.builder()
                .name("broken")
                .batchSize(BATCH)
                .transactionSize(BATCH)
                .pollInterval(Duration.ofMillis(20))
                .leaseLength(Duration.ofSeconds(2));
    }

    /** In one transaction. */
    private static void write(TestDatabase database, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.placed.v1', 'order', 'key-' || n % 20, n::text::json"
                + " from generate_series(" + from + ", " + to + ") n");
    }

    private static void write(TestDatabase database, int n) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.placed.v1', 'order', 'key-" + n % 20 + "', '" + n + "')");
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(Integer::toString).toList();
    }

    /** Those that are left of a relay. */
    private static List<String> threadsOf(String relay) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("postrider-" + relay))
                .toList();
    }
}
