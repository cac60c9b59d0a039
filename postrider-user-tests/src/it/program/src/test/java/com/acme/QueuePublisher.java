package com.acme;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

final class QueuePublisher implements Publisher {
    private final Queue queue;

    QueuePublisher(Queue queue) {
        this.queue = queue;
    }

    @Override
    public String destination(OutboxEvent event) {
        return "orders"; // throw UnroutableEventException if there is none: the event is a dead letter then
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        return queue.send(destination, event.messageKey(), event.payload().bytes())
                .orTimeout(30, TimeUnit.SECONDS)
                .handle((receipt, error) ->
                        error == null ? new PublishResult.Accepted() : new PublishResult.Unavailable(error.toString()));
    }
}
