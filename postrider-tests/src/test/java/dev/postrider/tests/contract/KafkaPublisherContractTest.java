package dev.postrider.tests.contract;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestTopics;
import java.util.List;
import java.util.Optional;

class KafkaPublisherContractTest extends PublisherContract {
    private static final String TOPIC = "order-events";

    private final TestTopics topics = new TestTopics("contract");

    /** Sends nothing before it is told to flush, for a minute. */
    @Override
    protected Publisher publisher() {
        topics.create(TOPIC, 1, "max.message.bytes", "700000");
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .property("linger.ms", "60000")
                .build();
    }

    @Override
    protected List<String> arrived() {
        return CommittedRecords.byKey(topics.partitions(TOPIC, 1)).values().stream()
                .flatMap(List::stream)
                .toList();
    }

    /** Taken by the producer, and refused by the broker. */
    @Override
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.of(event(key, "\"refused " + "x".repeat(900_000) + "\""));
    }

    @Override
    protected Optional<OutboxEvent> unanswered(String key) {
        return Optional.of(event(key, "\"unanswered\""));
    }

    @Override
    protected Optional<OutboxEvent> unroutable() {
        return Optional.of(OutboxEvent.builder("created")
                .aggregate("order", "a")
                .json("{}")
                .build());
    }
}
