package dev.postrider.examples.commerce.api;

import dev.postrider.OutboxEvent;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stands before Kafka, which is up and takes everything, and answers in its place where a test wants an answer that Kafka gives
 * only in bad times.
 */
final class Doorman implements Publisher {
    private final Publisher kafka =
            KafkaPublisher.builder(Servers.KAFKA.bootstrapServers()).build();
    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private volatile Function<OutboxEvent, @Nullable CompletionStage<PublishResult>> rule = event -> null;

    record Sent(OutboxEvent event, long nanos) {}

    /** What it answers; where that is null, Kafka does. Forgets what was sent before. */
    void answer(Function<OutboxEvent, @Nullable CompletionStage<PublishResult>> newRule) {
        rule = newRule;
        sent.clear();
    }

    void letAllPass() {
        answer(event -> null);
    }

    static CompletionStage<PublishResult> down() {
        return CompletableFuture.completedFuture(new PublishResult.Unavailable("down", "nobody at home"));
    }

    static CompletionStage<PublishResult> refused() {
        return CompletableFuture.completedFuture(new PublishResult.Rejected("refused", "not today", false));
    }

    /** What was handed over, in this order. */
    List<Sent> sent() {
        return sent;
    }

    @Override
    public String destination(OutboxEvent event) {
        return kafka.destination(event);
    }

    @Override
    public CompletionStage<?> ready(String destination) {
        return kafka.ready(destination);
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        sent.add(new Sent(event, System.nanoTime()));
        CompletionStage<PublishResult> answer = rule.apply(event);
        return answer == null ? kafka.publish(event, destination) : answer;
    }

    @Override
    public void flush() {
        kafka.flush();
    }

    @Override
    public void close() {
        kafka.close();
    }
}
