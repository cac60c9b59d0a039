package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.RelayState.Phase;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.ErringDataSource;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** G10: a relay that makes no progress loses what it holds to one that does, and says how it is. */
class StandstillTest {
    private static final Duration STUCK_AFTER = Duration.ofSeconds(1);

    /** Lets calls through, or holds them up without end. */
    private static final class Gate {
        private volatile CountDownLatch open = new CountDownLatch(1);

        Gate() {
            open.countDown();
        }

        void shut() {
            open = new CountDownLatch(1);
        }

        void open() {
            open.countDown();
        }

        /** Heeds no interrupt, as many a driver does not. */
        void pass() {
            boolean interrupted = false;
            while (true) {
                try {
                    open.await();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void relayWhoseLoopStandsStillLosesEverythingToAnother(OutboxMode mode) {
        Gate gate = new Gate();
        RecordingPublisher stuck = RecordingPublisher.answering(event -> {
            gate.pass();
            return new PublishResult.Accepted();
        });
        RecordingPublisher healthy = RecordingPublisher.acceptingAll();
        OutboxLayout layout = mode == OutboxMode.LOG ? OutboxLayout.log(4) : OutboxLayout.claim();
        try (TestDatabase database = TestDatabase.withOutbox(layout);
                Relay one = start(database, stuck, "one")) {
            write(database, 1, 20);
            await().until(() -> stuck.accepted().size() == 20);
            gate.shut();
            write(database, 21, 40);
            await().until(() -> one.state().phase() == Phase.STUCK);
            assertThat(one.state().reason()).contains("no step");

            try (Relay other = start(database, healthy, "other")) {
                await().untilAsserted(() -> assertThat(healthy.acceptedBodies()).containsAll(bodies(21, 40)));

                String before = one.state().owner();
                gate.open();
                await().until(() -> one.state().phase() == Phase.RUNNING
                        && !String.valueOf(before).equals(one.state().owner()));
                assertThat(other.state().phase()).isEqualTo(Phase.RUNNING);
            }
            write(database, 41, 60);
            await().untilAsserted(() -> assertThat(all(stuck, healthy)).containsAll(bodies(41, 60)));
        } finally {
            gate.open();
        }
    }

    @Tag(Torture.ONLY)
    @Test
    void shardWhoseThreadStandsStillIsReadByAnotherRelayAndTheOthersStay() {
        TestTopics topics = new TestTopics("standstill");
        topics.create("order-events", 1);
        Gate gate = new Gate();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
                Relay one = start(database, blocking(kafka(topics), 0, gate), "one");
                Relay other = start(database, kafka(topics), "other")) {
            // The older one keeps the lower half.
            await().until(() -> one.state().shards().equals(Set.of(0))
                    && other.state().shards().equals(Set.of(1)));
            gate.shut();
            write(database, 1, 40);

            await().until(() -> delivered(topics).size() >= 40);
            assertThat(delivered(topics)).containsExactlyInAnyOrderElementsOf(bodies(1, 40));
            assertThat(other.state().shards()).isEqualTo(Set.of(0, 1));
            assertThat(one.state().phase())
                    .as("a shard's thread is not the relay")
                    .isEqualTo(Phase.RUNNING);
            gate.open();
        } finally {
            gate.open();
        }
    }

    /** On a slow database a page may take almost as long as an answer is waited for. */
    @Test
    void relayThatWaitsForAPageReadAheadDoesNotStandStill() {
        Gate gate = new Gate();
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            write(database, 1, 30);
            gate.shut();
            try (Relay relay = Relay.builder(slowFor("postrider-patient-read", database.dataSource(), gate), publisher)
                    .settings(RelaySettings.builder()
                            .name("patient")
                            .batchSize(10)
                            .leaseLength(Duration.ofSeconds(2))
                            .drainTimeout(Duration.ofSeconds(1))
                            .build())
                    .stuckAfter(STUCK_AFTER)
                    .build()) {
                relay.start();
                await().until(() -> publisher.accepted().size() == 10);

                await().until(() -> relay.state().phase() == Phase.STUCK
                        || relay.state().sinceLastStep().compareTo(STUCK_AFTER.multipliedBy(2)) > 0);

                assertThat(relay.state().phase()).isEqualTo(Phase.RUNNING);
                gate.open();
                await().until(() -> publisher.accepted().size() == 30);
            } finally {
                gate.open();
            }
        }
    }

    /** One thread's statements have to pass a gate. */
    private static DataSource slowFor(String thread, DataSource behind, Gate gate) {
        return slowFor(DataSource.class, behind, () -> {
            if (Thread.currentThread().getName().equals(thread)) {
                gate.pass();
            }
        });
    }

    private static <T> T slowFor(Class<T> type, T target, Runnable beforeStatement) {
        return type.cast(Proxy.newProxyInstance(
                StandstillTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        beforeStatement.run();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection connection
                                ? slowFor(Connection.class, connection, beforeStatement)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void stateTellsWhatARelayIsAt() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2))) {
            ErringDataSource erring = new ErringDataSource(database.dataSource());
            Relay relay = Relay.builder(erring.dataSource(), publisher)
                    .settings(settings("told"))
                    .build();
            assertThat(relay.state().phase()).isEqualTo(Phase.NEW);
            assertThat(relay.state().owner()).isNull();

            relay.start();
            await().until(() -> relay.state().shards().equals(Set.of(0, 1)));
            RelayState running = relay.state();
            assertThat(running.phase()).isEqualTo(Phase.RUNNING);
            assertThat(running.owner()).startsWith("told#");
            assertThat(running.circuit()).isEqualTo("closed");
            assertThat(running.reason()).isNull();
            assertThat(running.sinceLastStep()).isLessThan(Duration.ofMinutes(1));

            erring.strike("postrider-told");
            await().pollInterval(Duration.ofMillis(5)).until(() -> relay.state().phase() == Phase.RESTARTING);
            assertThat(relay.state().reason()).contains("LinkageError", "made by a test");
            await().until(() -> relay.state().phase() == Phase.RUNNING);
            assertThat(relay.state().owner()).isNotEqualTo(running.owner());

            relay.stop();
            assertThat(relay.state().phase()).isEqualTo(Phase.STOPPED);
            assertThat(relay.state().shards()).isEmpty();
        }
    }

    private static Relay start(TestDatabase database, Publisher publisher, String name) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(settings(name))
                .stuckAfter(STUCK_AFTER)
                .build();
        relay.start();
        return relay;
    }

    private static RelaySettings settings(String name) {
        return RelaySettings.builder()
                .name(name)
                .pollInterval(Duration.ofMillis(20))
                .leaseLength(Duration.ofSeconds(2))
                .drainTimeout(Duration.ofSeconds(1))
                .build();
    }

    private static KafkaPublisher kafka(TestTopics topics) {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .build();
    }

    /** The line of one shard has a gate before it. */
    private static Publisher blocking(KafkaPublisher kafka, int shard, Gate gate) {
        return proxy(
                new Class<?>[] {Publisher.class, TransactionalDestination.class},
                kafka,
                Publisher.class,
                result -> result,
                (line, number) -> number == shard
                        ? proxy(
                                new Class<?>[] {TransactionalPublisher.class},
                                line,
                                TransactionalPublisher.class,
                                result -> {
                                    gate.pass();
                                    return result;
                                },
                                (any, none) -> any)
                        : line);
    }

    private interface Wrapping {
        Object wrap(Object line, int shard);
    }

    private static <T> T proxy(
            Class<?>[] types,
            Object target,
            Class<T> as,
            java.util.function.UnaryOperator<Object> onPublish,
            Wrapping onLine) {
        return as.cast(Proxy.newProxyInstance(
                StandstillTest.class.getClassLoader(), types, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("publish")) {
                            onPublish.apply(proxy);
                        }
                        Object result = method.invoke(target, arguments);
                        return method.getName().equals("pipeline") ? onLine.wrap(result, (int) arguments[1]) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static List<String> delivered(TestTopics topics) {
        List<String> all = new ArrayList<>();
        CommittedRecords.byKey(topics.partitions("order-events", 1)).values().forEach(all::addAll);
        return all;
    }

    private static List<String> all(RecordingPublisher... publishers) {
        List<String> all = new ArrayList<>();
        for (RecordingPublisher publisher : publishers) {
            all.addAll(publisher.acceptedBodies());
        }
        return all;
    }

    private static void write(TestDatabase database, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.placed.v1', 'order', 'key-' || n % 20, n::text::json"
                + " from generate_series(" + from + ", " + to + ") n");
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(Integer::toString).toList();
    }
}
