package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.alter.Ledger;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.CutDataSource;
import dev.postrider.tests.support.Torture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Relays that come, go and die share the shards of a log. */
@Tag(Torture.ALSO)
class SharingTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int KEYS = 20;

    private LogOutbox outbox;
    private final List<OutboxEvent> delivered = new CopyOnWriteArrayList<>();
    private int written;

    @BeforeEach
    void open() {
        outbox = new LogOutbox(4);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void shardsAreSharedEvenlyByTheRelaysThatAreThere() {
        Relay first = start("first");
        await().until(() -> shares().equals(List.of("first 4")));
        write();
        start("second");
        await().until(() -> shares().equals(List.of("first 2", "second 2")));
        write();
        start("third");
        await().until(() -> shares().equals(List.of("first 2", "second 1", "third 1")));
        write();
        Set<String> settled = owners();
        write();
        assertThat(owners()).as("nothing moves without need").isEqualTo(settled);

        first.stop();
        assertThat(shares()).as("released at once").noneMatch(share -> share.startsWith("first"));
        await().until(() -> shares().equals(List.of("second 2", "third 2")));
        write();

        await().until(() -> delivered.size() == written && outbox.isDone());
        assertEachKeyIsInOrder();
    }

    @Test
    void shardsOfARelayThatDiesAreTakenOver() throws SQLException {
        CutDataSource network = new CutDataSource(outbox.database().dataSource());
        AssembledRelay mortal = new AssembledRelay(
                new AssembledRelay.Parts(outbox.store(), network.dataSource(), network.dataSource()),
                publisher(),
                LogOutbox.settings("mortal").leaseLength(LEASE).build(),
                new RelayListener() {});
        try (mortal) {
            mortal.start();
            start("heir");
            await().until(() -> shares().equals(List.of("heir 2", "mortal 2")));
            write();
            await().until(() -> delivered.size() == written);

            network.cut();
            write();

            await().until(() -> shares().equals(List.of("heir 4")));
            await().until(outbox::isDone);
            assertThat(delivered.stream().map(OutboxEvent::id).distinct()).hasSize(written);
            assertEachKeyIsInOrder();
            await("whatever killed it does not kill this one")
                    .until(() -> outbox.database()
                            .one("select max(takeovers) from outbox_lease")
                            .equals("0"));
        }
    }

    @Test
    void moreRelaysThanShardsLeaveSomeWithNothingToDo() {
        for (int i = 0; i < 5; i++) {
            start("relay-" + i);
        }
        await().until(() -> shares().equals(List.of("relay-0 1", "relay-1 1", "relay-2 1", "relay-3 1")));
        write();

        await().until(() -> delivered.size() == written && outbox.isDone());
        assertEachKeyIsInOrder();
    }

    @Test
    void relayThatCannotDeliverLeavesItsShardsToOneThatCanUntilItCan() {
        AtomicBoolean down = new AtomicBoolean(true);
        Publisher ofItsOwn = RecordingPublisher.answering(event -> {
            if (down.get()) {
                return new PublishResult.Unavailable("its own broker is down");
            }
            delivered.add(event);
            return new PublishResult.Accepted();
        });
        outbox.start(
                ofItsOwn,
                LogOutbox.settings("sick")
                        .leaseLength(LEASE)
                        .circuit(new CircuitSettings(10, 5, 50, Duration.ofSeconds(2), 1)));
        start("well");
        await().until(() -> shares().equals(List.of("sick 2", "well 2")));

        write();

        await("whatever was waiting for it").until(() -> deliveredIds() == written && outbox.isDone());
        down.set(false);
        await().until(() -> {
            write();
            return shares().equals(List.of("sick 2", "well 2"));
        });
        await().until(() -> deliveredIds() == written && outbox.isDone());
        assertEachKeyIsInOrder();
    }

    /** With exactly once a relay without shards has nothing that could tell whether it can deliver. */
    @Tag(Torture.ONLY)
    @ParameterizedTest
    @EnumSource
    void withExactlyOnceARelayThatCannotDeliverHasOneShardToTryWithUntilItCan(Sickness sickness) {
        outbox.close();
        outbox = new LogOutbox(OutboxLayout.log(4).delivering(Delivery.EXACTLY_ONCE));
        Ledger ledger = new Ledger(delivered::add);
        CutOff cutOff = new CutOff(ledger, sickness);
        outbox.start(
                cutOff.publisher(),
                LogOutbox.settings("sick")
                        .leaseLength(LEASE)
                        .circuit(new CircuitSettings(10, 5, 50, Duration.ofSeconds(2), 1)));
        outbox.start(ledger, LogOutbox.settings("well").leaseLength(LEASE));
        await().until(() -> shares().equals(List.of("sick 2", "well 2")));

        cutOff.down = true;

        await("some trials").atMost(PATIENCE).until(() -> {
            write();
            return cutOff.trials.get() >= 3;
        });
        assertThat(cutOff.mostSinceNone).as("shards at a time").hasValue(1);
        await("whatever was waiting for it").atMost(PATIENCE).until(() -> deliveredIds() == written);
        cutOff.down = false;
        await().atMost(PATIENCE).until(() -> {
            write();
            return shares().equals(List.of("sick 2", "well 2"));
        });
        await().atMost(PATIENCE).until(() -> deliveredIds() == written);
        assertThat(delivered).as("exactly once").hasSize(written);
        assertEachKeyIsInOrder();
    }

    private enum Sickness {
        PUBLISHES_NOTHING,
        TAKES_NOTHING_OVER_EITHER
    }

    /** The way of one relay to a ledger, and how many lines it has. */
    private static final class CutOff {
        private final Ledger ledger;
        private final Sickness sickness;
        private final AtomicInteger lines = new AtomicInteger();
        private volatile boolean hadNone;
        final AtomicInteger mostSinceNone = new AtomicInteger();
        final AtomicInteger trials = new AtomicInteger();
        volatile boolean down;

        CutOff(Ledger ledger, Sickness sickness) {
            this.ledger = ledger;
            this.sickness = sickness;
        }

        Publisher publisher() {
            return (Publisher) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Publisher.class, TransactionalDestination.class},
                    (self, method, arguments) -> {
                        Object result = call(ledger, method, arguments);
                        return result instanceof TransactionalPublisher line ? counted(line) : result;
                    });
        }

        private TransactionalPublisher counted(TransactionalPublisher line) {
            int now = lines.incrementAndGet();
            if (hadNone) {
                mostSinceNone.accumulateAndGet(now, Math::max);
                trials.incrementAndGet();
            }
            return (TransactionalPublisher) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {TransactionalPublisher.class},
                    (self, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            hadNone |= lines.decrementAndGet() == 0 && down;
                        } else if (down
                                && sickness == Sickness.TAKES_NOTHING_OVER_EITHER
                                && method.getName().equals("takeOver")) {
                            throw new DestinationUnavailableException("it is cut off", new IllegalStateException());
                        } else if (down && method.getName().equals("publish")) {
                            return CompletableFuture.completedFuture(new PublishResult.Unavailable("it is cut off"));
                        }
                        return call(line, method, arguments);
                    });
        }

        private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private long deliveredIds() {
        return delivered.stream().map(OutboxEvent::id).distinct().count();
    }

    private Relay start(String name) {
        return outbox.start(publisher(), LogOutbox.settings(name).leaseLength(LEASE));
    }

    private Publisher publisher() {
        return RecordingPublisher.answering(event -> {
            delivered.add(event);
            return new PublishResult.Accepted();
        });
    }

    private void write() {
        for (int n = 0; n < 2 * KEYS; n++) {
            outbox.insert("key-" + n % KEYS, ++written);
        }
    }

    /** How many live shards each relay holds. */
    private List<String> shares() {
        return outbox.database()
                .column(
                        "select split_part(owner, '#', 1) || ' ' || count(*) from outbox_lease"
                                + " where name like 'shard/%' and expires_at > clock_timestamp() group by owner order by owner");
    }

    private Set<String> owners() {
        return Set.copyOf(outbox.database().column("select name || owner from outbox_lease where name like 'shard/%'"));
    }

    private void assertEachKeyIsInOrder() {
        delivered.stream()
                .collect(Collectors.groupingBy(OutboxEvent::aggregateId))
                .forEach((key, events) -> {
                    List<Integer> bodies = events.stream()
                            .map(event -> Integer.parseInt(event.payload().text()))
                            .distinct()
                            .toList();
                    assertThat(bodies).as(key).isSorted();
                });
    }
}
