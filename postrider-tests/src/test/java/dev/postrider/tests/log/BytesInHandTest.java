package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is in flight is bounded in bytes, and what has been answered does not count. */
class BytesInHandTest {
    private static final int EVENT = 900;

    /** Three events fit. */
    private static final int BATCH = 3_000;

    @Test
    void noMoreThanTwoBatchesAreInFlight() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            SlowPublisher publisher = new SlowPublisher(Integer.MAX_VALUE);
            insert(outbox, 60);
            outbox.start(
                    publisher, LogOutbox.settings("relay").maxBatchBytes(BATCH).maxEventBytes(BATCH));

            await().until(() -> publisher.inFlight() >= 6);
            for (int n = 1; n <= 60; n++) {
                await().pollInterval(Duration.ofMillis(2)).until(() -> publisher.inFlight() > 0);
                publisher.answerOne();
            }

            await().until(outbox::isDone);
            assertThat(publisher.mostInFlight).isEqualTo(6);
        }
    }

    @Test
    void eventGivenBackIsSentAgainAlthoughManyLaterOnesWaitToBeRecorded() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            SlowPublisher publisher = new SlowPublisher(6);
            insert(outbox, 6);

            outbox.start(
                    publisher,
                    LogOutbox.settings("relay")
                            .maxBatchBytes(BATCH)
                            .maxEventBytes(BATCH)
                            .retry(LogOutbox.retryAfter(Duration.ofHours(1), 3)));

            await().until(() -> publisher.accepted.contains("1"));
            await().until(() -> outbox.ahead() == 0 && outbox.parked() == 5);
            assertThat(publisher.accepted).containsExactly("1");
        }
    }

    /** They are kept, with their payloads, until the cursor passes them. */
    @Test
    void noMoreThanABatchOfRejectedEventsWaitsForAnEarlierOneThatTakesLong() {
        try (LogOutbox outbox = new LogOutbox(1)) {
            FirstHangs publisher = new FirstHangs();
            insert(outbox, 60);
            outbox.start(
                    publisher,
                    LogOutbox.settings("relay")
                            .maxBatchBytes(BATCH)
                            .maxEventBytes(BATCH)
                            .retry(LogOutbox.retryAfter(Duration.ofHours(1), 3)));

            await().until(() -> publisher.rejected.get() >= 3);
            await().during(Duration.ofSeconds(1)).until(() -> publisher.rejected.get() <= 9);

            publisher.first.complete(new PublishResult.Accepted());
            await().until(() -> outbox.ahead() == 0 && outbox.parked() == 59);
        }
    }

    /** As of a webhook: others go on. */
    private static final class FirstHangs implements Publisher {
        final CompletableFuture<PublishResult> first = new CompletableFuture<>();
        final AtomicInteger rejected = new AtomicInteger();

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            if (event.payload().text().strip().equals("1")) {
                return first;
            }
            rejected.incrementAndGet();
            return CompletableFuture.completedFuture(new PublishResult.Rejected("no", false));
        }

        @Override
        public String destination(OutboxEvent event) {
            return "anywhere";
        }
    }

    private static void insert(LogOutbox outbox, int events) {
        outbox.database()
                .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " select 'acme.a.b.v1', 'a', 'key-' || n, (n || repeat(' ', " + EVENT + "))::json"
                        + " from generate_series(1, " + events + ") n");
    }

    /** When it has the given number of events, nobody knows of the first, the others are rejected, and the rest is accepted. */
    private static final class SlowPublisher implements Publisher {
        final List<String> handedOver = new CopyOnWriteArrayList<>();
        final List<String> accepted = new CopyOnWriteArrayList<>();
        private final List<CompletableFuture<PublishResult>> open = new ArrayList<>();
        private final int rejectAt;
        volatile int mostInFlight;

        SlowPublisher(int rejectAt) {
            this.rejectAt = rejectAt;
        }

        @Override
        public synchronized CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            String body = event.payload().text().strip();
            handedOver.add(body);
            if (handedOver.size() > rejectAt) {
                accepted.add(body);
                return CompletableFuture.completedFuture(new PublishResult.Accepted());
            }
            CompletableFuture<PublishResult> answer = new CompletableFuture<>();
            open.add(answer);
            mostInFlight = Math.max(mostInFlight, open.size());
            if (handedOver.size() == rejectAt) {
                open.forEach(one -> one.complete(
                        one == open.get(0) ? new PublishResult.Unresolved() : new PublishResult.Rejected("no", false)));
                open.clear();
            }
            return answer;
        }

        synchronized int inFlight() {
            return open.size();
        }

        synchronized void answerOne() {
            open.remove(0).complete(new PublishResult.Accepted());
        }

        @Override
        public String destination(OutboxEvent event) {
            return "anywhere";
        }

        @Override
        public boolean mayFollowInFlight(OutboxEvent event, String destination) {
            return true;
        }
    }
}
