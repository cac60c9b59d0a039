package dev.postrider.internal.spring.tracing;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Another publisher, with a span around each event that it is handed. */
class TracedPublisher implements Publisher {
    private final Publisher publisher;
    private final SendSpans spans;

    TracedPublisher(Publisher publisher, SendSpans spans) {
        this.publisher = publisher;
        this.spans = spans;
    }

    /** One that can deliver exactly once still can. */
    static Publisher of(Publisher publisher, SendSpans spans) {
        return publisher instanceof TransactionalDestination destination
                ? new Transactional(publisher, destination, spans)
                : new TracedPublisher(publisher, spans);
    }

    private static final class Transactional extends TracedPublisher implements TransactionalDestination {
        private final TransactionalDestination destination;
        private final SendSpans spans;

        Transactional(Publisher publisher, TransactionalDestination destination, SendSpans spans) {
            super(publisher, spans);
            this.destination = destination;
            this.spans = spans;
        }

        @Override
        public TransactionalPublisher pipeline(String outboxId, int shard, int shards, Duration timeout) {
            return new TracedLine(destination.pipeline(outboxId, shard, shards, timeout), spans);
        }
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        return spans.around(event, destination, () -> publisher.publish(event, destination));
    }

    @Override
    public String destination(OutboxEvent event) {
        return publisher.destination(event);
    }

    @Override
    public CompletionStage<?> ready(String destination) {
        return publisher.ready(destination);
    }

    @Override
    public int releasable(String blocked) {
        return publisher.releasable(blocked);
    }

    @Override
    public Map<String, String> blocked() {
        return publisher.blocked();
    }

    @Override
    public void onRelease(Runnable wake) {
        publisher.onRelease(wake);
    }

    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        return publisher.mayFollowInFlight(event, destination);
    }

    @Override
    public boolean stopsAtFailure() {
        return publisher.stopsAtFailure();
    }

    @Override
    public void flush() {
        publisher.flush();
    }

    @Override
    public void expireOverdue() {
        publisher.expireOverdue();
    }

    @Override
    public void returnUnstarted() {
        publisher.returnUnstarted();
    }

    @Override
    public void halt() {
        publisher.halt();
    }

    @Override
    public void resume() {
        publisher.resume();
    }

    @Override
    public void close() {
        publisher.close();
    }

    /** For messages that name the publisher. */
    @Override
    public String toString() {
        return publisher.toString();
    }
}
