package dev.postrider.publish.handler;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One call of a handler. */
final class Run {
    final OutboxEvent event;
    final String type;

    /** As the outbox has it. */
    final String key;

    final HandlerPublisher.Handler handler;
    final long submittedAt = System.nanoTime();
    final CompletableFuture<PublishResult> answer = new CompletableFuture<>();

    /** Rings when its time is over. */
    private final CompletableFuture<Void> alarm = new CompletableFuture<>();

    /** The handler's, from the beginning of the call to its end. Guarded by the lock of {@link Runs}. */
    @Nullable
    Thread thread;

    Run(OutboxEvent event, String type, HandlerPublisher.Handler handler) {
        this.event = event;
        this.type = type;
        this.key = event.key() != null ? event.key() : event.aggregateType() + "/" + event.aggregateId();
        this.handler = handler;
    }

    void ringAfter(Duration timeout, Runnable ring) {
        alarm.thenRun(ring);
        alarm.completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    void answer(PublishResult result) {
        alarm.cancel(false);
        answer.complete(result);
    }
}
