package dev.postrider.examples.transfer;

import dev.postrider.OutboxEvent;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Stands before Kafka, which refuses hardly anything that could be accepted later: refuses what it is told to refuse, and
 * hands everything else on. It can wait with its answers until it has all of a batch.
 */
final class Doorman implements Publisher {
    private final Publisher kafka =
            KafkaPublisher.builder(Servers.KAFKA.bootstrapServers()).build();
    private final String topic;
    private final List<Runnable> answers = new ArrayList<>();
    private volatile Predicate<String> refused = transfer -> false;
    private int together = 1;

    Doorman(String topic) {
        this.topic = topic;
    }

    /** From now on these transfers are refused, and no others. */
    void refuse(Predicate<String> transfers) {
        refused = transfers;
    }

    /** The next answers are given when there are this many. */
    synchronized void answerTogether(int events) {
        together = events;
    }

    @Override
    public String destination(OutboxEvent event) {
        return topic;
    }

    @Override
    public CompletionStage<?> ready(String destination) {
        return kafka.ready(destination);
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        CompletionStage<PublishResult> result = refused.test(event.aggregateId())
                ? CompletableFuture.completedFuture(
                        new PublishResult.Rejected("refused", "nothing from " + event.aggregateId(), false))
                : kafka.publish(event, destination);
        CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        result.thenAccept(known -> answer(() -> answer.complete(known)));
        return answer;
    }

    private synchronized void answer(Runnable known) {
        answers.add(known);
        if (answers.size() >= together) {
            together = 1;
            answers.forEach(Runnable::run);
            answers.clear();
        }
    }

    @Override
    public void close() {
        kafka.close();
    }
}
