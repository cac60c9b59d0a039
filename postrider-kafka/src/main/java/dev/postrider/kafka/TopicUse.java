package dev.postrider.kafka;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.kafka.Envelope;
import dev.postrider.publish.InvalidEventException;
import dev.postrider.publish.PublishResult;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a publisher, or the line of a shard, has to do with topics that may take nothing. It counts as a user of {@link KnownTopics}
 * from its first question until it is closed. Any thread.
 */
final class TopicUse {
    private final KnownTopics topics;
    private final Envelope envelope;
    private final AtomicBoolean inUse = new AtomicBoolean();
    private volatile Runnable wake = () -> {};

    TopicUse(KnownTopics topics, Envelope envelope) {
        this.topics = topics;
        this.envelope = envelope;
    }

    private KnownTopics use() {
        if (!inUse.get() && inUse.compareAndSet(false, true)) {
            topics.use();
        }
        return topics;
    }

    CompletionStage<?> ready(String destination) {
        return use().ready(destination);
    }

    int releasable(String blocked) {
        return use().releasable(blocked);
    }

    Map<String, String> blocked() {
        return topics.blocked();
    }

    /** One loop at a time: that of a relay which was put together anew takes the place of the one before. */
    void onRelease(Runnable next) {
        topics.forget(wake);
        wake = next;
        topics.onRelease(next);
    }

    /** Sends an event unless its topic takes nothing, or there is no record that could be made of it. */
    CompletionStage<PublishResult> publish(
            OutboxEvent event,
            String destination,
            Function<ProducerRecord<byte[], byte[]>, CompletionStage<PublishResult>> send) {
        PublishResult obstacle = use().obstacle(destination, Envelope.key(event));
        if (obstacle != null) {
            return CompletableFuture.completedFuture(obstacle);
        }
        try {
            ProducerRecord<byte[], byte[]> record = envelope.toRecord(event, destination);
            PublishResult tooLarge = topics.sizes().obstacle(record);
            return tooLarge == null ? send.apply(record) : CompletableFuture.completedFuture(tooLarge);
        } catch (InvalidEventException e) {
            return CompletableFuture.completedFuture(e.result());
        }
    }

    void close() {
        topics.forget(wake);
        if (inUse.compareAndSet(true, false)) {
            topics.leave();
        }
    }
}
