package dev.postrider.tests.contract;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.UnroutableEventException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** The least that a publisher is. */
class TwoMethodPublisherContractTest extends PublisherContract {
    private final List<String> arrived = new CopyOnWriteArrayList<>();

    @Override
    protected Publisher publisher() {
        return new Publisher() {
            @Override
            public String destination(OutboxEvent event) {
                if (!event.aggregateType().equals("order")) {
                    throw new UnroutableEventException("Events of type " + event.type() + " are not for orders.");
                }
                return "orders";
            }

            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                return CompletableFuture.supplyAsync(() -> {
                    String payload = event.payload().text();
                    if (payload.equals("\"refused\"")) {
                        return new PublishResult.Rejected("made by a test", false);
                    }
                    arrived.add(payload);
                    return new PublishResult.Accepted();
                });
            }
        };
    }

    @Override
    protected List<String> arrived() {
        return arrived;
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.of(event(key, "\"refused\""));
    }

    @Override
    protected Optional<OutboxEvent> unroutable() {
        return Optional.of(OutboxEvent.builder("acme.customer.moved.v1")
                .aggregate("customer", "a")
                .json("{}")
                .build());
    }
}
