package dev.postrider.tests.support;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A destination that answers as the test says, at once, and remembers what it accepted. */
public final class ScriptedPublisher implements Publisher {
    private final Function<OutboxEvent, PublishResult> script;
    private final List<OutboxEvent> accepted = Collections.synchronizedList(new ArrayList<>());

    private ScriptedPublisher(Function<OutboxEvent, PublishResult> script) {
        this.script = script;
    }

    public static ScriptedPublisher acceptingAll() {
        return new ScriptedPublisher(event -> new PublishResult.Accepted());
    }

    public static ScriptedPublisher answering(Function<OutboxEvent, PublishResult> script) {
        return new ScriptedPublisher(script);
    }

    public List<OutboxEvent> accepted() {
        synchronized (accepted) {
            return List.copyOf(accepted);
        }
    }

    public List<String> acceptedBodies() {
        return accepted().stream().map(event -> event.payload().text()).toList();
    }

    @Override
    public String destination(OutboxEvent event) {
        return "scripted";
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        PublishResult result = script.apply(event);
        if (result instanceof PublishResult.Accepted) {
            accepted.add(event);
        }
        return CompletableFuture.completedFuture(result);
    }

    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        return false;
    }

    @Override
    public void stopTheLine() {}

    @Override
    public void resume() {}

    @Override
    public void close() {}
}
