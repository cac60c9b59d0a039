package dev.postrider.testing;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A publisher that answers at once, as the test tells it to, and remembers what it accepted. Any thread. */
public final class RecordingPublisher implements Publisher {
    private final List<OutboxEvent> accepted = new ArrayList<>();
    private final Map<String, String> blocked = new ConcurrentHashMap<>();
    private volatile Function<OutboxEvent, PublishResult> answer;
    private volatile Runnable wake = () -> {};

    private RecordingPublisher(Function<OutboxEvent, PublishResult> answer) {
        this.answer = answer;
    }

    public static RecordingPublisher acceptingAll() {
        return new RecordingPublisher(event -> new PublishResult.Accepted());
    }

    public static RecordingPublisher answering(Function<OutboxEvent, PublishResult> answer) {
        return new RecordingPublisher(answer);
    }

    /** Sets the answer from now on. Blocked events are tried again. */
    public void answer(Function<OutboxEvent, PublishResult> newAnswer) {
        answer = newAnswer;
        blocked.clear();
        wake.run();
    }

    /** The accepted events, in order of arrival. */
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
        return "recorded";
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        PublishResult result = answer.apply(event);
        if (result instanceof PublishResult.Accepted) {
            synchronized (accepted) {
                accepted.add(event);
            }
        } else if (result instanceof PublishResult.Blocked one) {
            blocked.put(one.destination(), one.reason());
        }
        return CompletableFuture.completedFuture(result);
    }

    @Override
    public int releasable(String destination) {
        return blocked.containsKey(destination) ? 0 : Integer.MAX_VALUE;
    }

    @Override
    public Map<String, String> blocked() {
        return Map.copyOf(blocked);
    }

    @Override
    public void onRelease(Runnable newWake) {
        wake = newWake;
    }
}
