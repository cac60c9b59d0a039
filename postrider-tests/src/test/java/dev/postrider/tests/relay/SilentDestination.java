package dev.postrider.tests.relay;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes events and never answers, whatever it is told. */
final class SilentDestination implements Publisher {
    private final AtomicInteger taken = new AtomicInteger();

    int taken() {
        return taken.get();
    }

    @Override
    public String destination(OutboxEvent event) {
        return "nowhere";
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        taken.incrementAndGet();
        return new CompletableFuture<>();
    }
}
