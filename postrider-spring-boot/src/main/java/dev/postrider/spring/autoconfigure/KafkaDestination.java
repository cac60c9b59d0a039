package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import java.util.Map;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;

/**
 * The Kafka of {@code spring.kafka.*}. Taken from there is how to connect, and nothing else: how the application's own
 * producers send, acknowledgements and serializers for example, is not how Postrider must. {@code postrider.kafka.properties}
 * comes over it.
 */
final class KafkaDestination implements RelayDestination {
    private final PostriderProperties.Kafka properties;
    private final TopicRouting routing;
    private final KafkaProperties application;
    private final KafkaConnectionDetails connection;

    KafkaDestination(
            PostriderProperties.Kafka properties,
            TopicRouting routing,
            KafkaProperties application,
            KafkaConnectionDetails connection) {
        this.properties = properties;
        this.routing = routing;
        this.application = application;
        this.connection = connection;
    }

    @Override
    public Publisher publisher() {
        KafkaPublisher.Builder builder = KafkaPublisher.builder(
                        String.join(",", connection.getProducer().getBootstrapServers()))
                .routing(routing)
                .contentMode(ContentMode.valueOf(properties.contentMode().name()))
                .bodyIdField(properties.bodyIdField());
        connecting().forEach(builder::property);
        properties.properties().forEach(builder::property);
        return builder.build();
    }

    Map<String, Object> connecting() {
        return KafkaConnecting.of(application.buildProducerProperties(), connection.getProducer());
    }
}
