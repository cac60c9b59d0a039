package dev.postrider.spring.relay;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A destination that outlives applications, and answers nothing until it is told to. Any thread. */
final class HeldDestination {
    private final List<String> received = new ArrayList<>();
    private final List<CompletableFuture<PublishResult>> unanswered = new ArrayList<>();
    private boolean answering;

    /** Of one relay: it is closed with that. */
    Publisher publisher() {
        return new Publisher() {
            @Override
            public String destination(OutboxEvent event) {
                return "held";
            }

            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                return receive(event.aggregateId());
            }
        };
    }

    private synchronized CompletionStage<PublishResult> receive(String id) {
        received.add(id);
        CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        if (answering) {
            answer.complete(new PublishResult.Accepted());
        } else {
            unanswered.add(answer);
        }
        return answer;
    }

    /** In the order in which they came, each as often as it came. */
    synchronized List<String> received() {
        return List.copyOf(received);
    }

    /** What has come, and from now on whatever comes. */
    void answer() {
        List<CompletableFuture<PublishResult>> late;
        synchronized (this) {
            answering = true;
            late = List.copyOf(unanswered);
            unanswered.clear();
        }
        late.forEach(answer -> answer.complete(new PublishResult.Accepted()));
    }
}
