package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A destination that takes nothing: everything stays where it is, and nothing is held against anybody. */
class LogOutageTest {
    private static final int KEYS = 50;
    private static final int EVENTS = 200;

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

    private static String cursors(LogOutbox outbox) {
        return outbox.database()
                .one("select string_agg(c::text, ' ' order by shard) from outbox_cursor c"
                        + " where seq = (select max(seq) from outbox_cursor n where n.shard = c.shard)");
    }
}
