package com.acme;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.Publisher;
import java.util.List;
import java.util.Optional;

class QueuePublisherTest extends PublisherContract {
    private final Queue queue = new Queue(); // JUnit makes a new one for each test

    @Override
    protected Publisher publisher() {
        return new QueuePublisher(queue);
    }

    @Override
    protected List<String> arrived() { // payloads at the destination, the first one first
        return queue.bodies();
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) { // leave it out if the queue takes everything
        return Optional.of(event(key, "\"refuse me\""));
    }
}
