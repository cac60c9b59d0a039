package dev.postrider.tests.contract;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.handler.HandlerPublisher;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

class HandlerPublisherContractTest extends PublisherContract {
    private final List<String> handled = new CopyOnWriteArrayList<>();

    @Override
    protected Publisher publisher() {
        return HandlerPublisher.builder()
                .on(
                        "acme.order.created.v1",
                        event -> handled.add(event.payload().text()))
                .on("acme.order.refused.v1", event -> {
                    throw new IllegalArgumentException("made by a test");
                })
                .on("acme.order.unanswered.v1", event -> new CountDownLatch(1).await())
                .build();
    }

    @Override
    protected List<String> arrived() {
        return handled;
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.of(of("acme.order.refused.v1", key));
    }

    @Override
    protected Optional<OutboxEvent> unanswered(String key) {
        return Optional.of(of("acme.order.unanswered.v1", key));
    }

    @Override
    protected Optional<OutboxEvent> unroutable() {
        return Optional.of(of("acme.order.unknown.v1", "a"));
    }

    private static OutboxEvent of(String type, String key) {
        return OutboxEvent.builder(type).aggregate("order", key).json("{}").build();
    }
}
