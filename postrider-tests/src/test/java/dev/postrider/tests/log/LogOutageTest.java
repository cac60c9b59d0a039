package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.RelayListener;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.alter.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A destination that takes nothing: everything stays where it is, and nothing is held against anybody. */
class LogOutageTest {
    private static final int KEYS = 50;
    private static final int EVENTS = 200;
    private static final CircuitSettings ONE_TRIAL = new CircuitSettings(10, 5, 50, Duration.ofMillis(100), 1);

    private volatile boolean down;

    @Test
    void outageMovesNoCursorParksNothingAndCountsNoAttempt() {
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> down ? new PublishResult.Unavailable("no broker") : new PublishResult.Accepted());
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger();
        RelayListener listener = new RelayListener() {
            @Override
            public void circuitChanged(String state) {
                if (state.equals("open")) {
                    opened.incrementAndGet();
                }
            }

            @Override
            public void failed(OutboxEvent event, String error, boolean counted) {
                failures.incrementAndGet();
            }
        };
        try (LogOutbox outbox = new LogOutbox(2)) {
            outbox.insertMany(10, 10);
            outbox.relay(
                            publisher,
                            LogOutbox.settings("relay")
                                    .circuit(new CircuitSettings(10, 5, 50, Duration.ofMillis(100), 3)),
                            listener)
                    .start();
            await().until(outbox::isDone);
            down = true;
            String cursors = cursors(outbox);

            outbox.insertMany(EVENTS, KEYS);
            await().until(() -> opened.get() >= 4);

            assertThat(outbox.parked()).isZero();
            assertThat(outbox.ahead()).isEqualTo(EVENTS);
            assertThat(cursors(outbox)).isEqualTo(cursors);
            assertThat(publisher.accepted()).hasSize(10);
            down = false;

            await().until(outbox::isDone);
            List<OutboxEvent> accepted =
                    publisher.accepted().subList(10, publisher.accepted().size());
            assertThat(accepted).hasSize(EVENTS);
            for (int key = 0; key < KEYS; key++) {
                String id = "key-" + key;
                assertThat(accepted.stream().filter(event -> event.aggregateId().equals(id)))
                        .extracting(event -> Integer.parseInt(event.payload().text()))
                        .as(id)
                        .hasSize(EVENTS / KEYS)
                        .isSorted();
            }
            assertThat(failures).as("failures of events").hasValue(0);
        }
    }

    @Test
    void keyWhoseDestinationAloneIsDownWaitsWithoutCountingAttempts() {
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> down && event.aggregateId().equals("key-0")
                        ? new PublishResult.Unavailable("no leader")
                        : new PublishResult.Accepted());
        down = true;
        try (LogOutbox outbox = new LogOutbox(2)) {
            outbox.insertMany(100, 10);
            outbox.start(publisher, LogOutbox.settings("relay").retry(LogOutbox.retryAfter(Duration.ofMillis(20), 0)));

            await().until(() -> publisher.accepted().size() == 90 && outbox.parked() == 10);
            assertThat(outbox.database().one("select max(attempts) from outbox_parked"))
                    .isEqualTo("0");
            down = false;

            await().until(outbox::isDone);
            assertThat(publisher.accepted().subList(90, 100))
                    .allMatch(event -> event.aggregateId().equals("key-0"))
                    .extracting(event -> Integer.parseInt(event.payload().text()))
                    .isSorted();
        }
    }

    @Test
    void workerThatBreaksWhileItTriesLeavesTheTrialToTheNext() {
        AtomicBoolean broke = new AtomicBoolean();
        Ledger ledger = new Ledger(event -> {});
        Circuits circuits = new Circuits();
        ledger.answer(event -> {
            if (!circuits.told.contains("half-open")) {
                return new PublishResult.Unavailable("no broker");
            }
            if (broke.compareAndSet(false, true)) {
                throw new InternalError("by the test");
            }
            return new PublishResult.Accepted();
        });
        try (LogOutbox outbox = new LogOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE))) {
            outbox.insertMany(10, 10);
            outbox.relay(ledger, LogOutbox.settings("relay").circuit(ONE_TRIAL), circuits)
                    .start();

            await().until(outbox::isDone);

            assertThat(broke).isTrue();
            await().untilAsserted(() -> assertThat(circuits.told).endsWith("closed"));
        }
    }

    @Test
    void circuitThatIsLetGoOfBecauseOthersDeliverIsToldAsClosed() {
        AtomicBoolean ill = new AtomicBoolean(true);
        Ledger ledger = new Ledger(event -> {});
        Circuits circuits = new Circuits();
        ledger.answer(event -> {
            boolean ofFirstShard = Thread.currentThread().getName().equals("postrider-relay-0");
            if (!ofFirstShard || !ill.get()) {
                return new PublishResult.Accepted();
            }
            if (!circuits.told.contains("half-open")) {
                return new PublishResult.Unavailable("no broker");
            }
            throw new InternalError("by the test");
        });
        try (LogOutbox outbox = new LogOutbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE))) {
            outbox.relay(ledger, LogOutbox.settings("relay").circuit(ONE_TRIAL), circuits)
                    .start();

            await().until(() -> {
                outbox.insertMany(20, 20);
                return circuits.told.contains("closed");
            });

            assertThat(circuits.told).startsWith("open", "half-open");
            ill.set(false);
            await().until(outbox::isDone);
        }
    }

    /** What a relay tells of its circuit. */
    private static final class Circuits implements RelayListener {
        final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void circuitChanged(String state) {
            told.add(state);
        }
    }

    private static String cursors(LogOutbox outbox) {
        return outbox.database()
                .one("select string_agg(c::text, ' ' order by shard) from outbox_cursor c"
                        + " where seq = (select max(seq) from outbox_cursor n where n.shard = c.shard)");
    }
}
