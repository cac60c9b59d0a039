package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.kafka.autoconfigure.SslBundleSslEngineFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * The Kafka of {@code spring.kafka.*}. Taken from there is how to connect, and nothing else: how the application's own
 * producers send, acknowledgements and serializers for example, is not how Postrider must. {@code postrider.kafka.properties}
 * comes over it.
 */
final class KafkaDestination implements RelayDestination {
    /** What the names of properties about connecting begin with. */
    private static final List<String> CONNECTING = List.of(
            "security.",
            "ssl.",
            "sasl.",
            "client.dns.lookup",
            "connections.",
            "socket.",
            "reconnect.",
            "metadata.",
            SslBundle.class.getName());

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

    /** In the way that Spring Boot does it for producers: connection details come over properties. */
    Map<String, Object> connecting() {
        Map<String, Object> settings = new HashMap<>(application.buildProducerProperties());
        settings.keySet().removeIf(name -> CONNECTING.stream().noneMatch(name::startsWith));
        KafkaConnectionDetails.Configuration producer = connection.getProducer();
        SslBundle bundle = producer.getSslBundle();
        if (bundle != null) {
            settings.put(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, SslBundleSslEngineFactory.class);
            settings.put(SslBundle.class.getName(), bundle);
        }
        String protocol = producer.getSecurityProtocol();
        if (StringUtils.hasText(protocol)) {
            settings.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol);
        }
        return settings;
    }
}
