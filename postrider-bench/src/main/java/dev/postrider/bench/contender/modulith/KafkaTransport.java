package dev.postrider.bench.contender.modulith;

import java.util.concurrent.CompletableFuture;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizationTransport;

/** Hands a message to Kafka and gives Modulith the future: whoever completes it marks the publication completed. */
final class KafkaTransport implements EventExternalizationTransport {
    private final EventExternalizationConfiguration configuration;
    private final KafkaOperations<String, String> kafka;

    KafkaTransport(EventExternalizationConfiguration configuration, KafkaOperations<String, String> kafka) {
        this.configuration = configuration;
        this.kafka = kafka;
    }

    @Override
    public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
        Message<Object> message = MessageBuilder.withPayload(payload)
                .copyHeaders(configuration.getHeadersFor(payload))
                .setHeaderIfAbsent(KafkaHeaders.KEY, target.getKey())
                .setHeaderIfAbsent(KafkaHeaders.TOPIC, target.getTarget())
                .build();
        return kafka.send(message);
    }
}
