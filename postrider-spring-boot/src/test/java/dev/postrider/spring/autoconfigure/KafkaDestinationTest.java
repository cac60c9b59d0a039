package dev.postrider.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.kafka.autoconfigure.SslBundleSslEngineFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;

/** What is taken from {@code spring.kafka.*}: how to connect, and nothing about how to send. */
class KafkaDestinationTest {
    private static final SslBundle BUNDLE = SslBundle.of(SslStoreBundle.NONE);

    private final KafkaProperties application = new KafkaProperties();

    private static KafkaConnectionDetails details(SslBundle bundle, String protocol) {
        return new KafkaConnectionDetails() {
            @Override
            public List<String> getBootstrapServers() {
                return List.of("broker-1:9092", "broker-2:9092");
            }

            @Override
            public SslBundle getSslBundle() {
                return bundle;
            }

            @Override
            public String getSecurityProtocol() {
                return protocol;
            }
        };
    }

    private static PostriderProperties.Kafka options(Map<String, String> given) {
        return new Binder(new MapConfigurationPropertySource(given))
                .bindOrCreate("postrider.kafka", PostriderProperties.Kafka.class);
    }

    private KafkaDestination destination(Map<String, String> given, KafkaConnectionDetails details) {
        return new KafkaDestination(options(given), TopicRouting.byConvention(), application, details);
    }

    @Test
    void saslAndSslAreThoseOfTheApplication() {
        application.getSecurity().setProtocol("SASL_SSL");
        application.getProperties().put("sasl.mechanism", "PLAIN");
        application.getProducer().getProperties().put("sasl.jaas.config", "secret");

        assertThat(destination(Map.of(), details(null, null)).connecting())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.mechanism", "PLAIN")
                .containsEntry("sasl.jaas.config", "secret");
    }

    @Test
    void connectionDetailsComeOverProperties() {
        application.getSecurity().setProtocol("PLAINTEXT");

        assertThat(destination(Map.of(), details(BUNDLE, "SSL")).connecting())
                .containsEntry("security.protocol", "SSL")
                .containsEntry("ssl.engine.factory.class", SslBundleSslEngineFactory.class)
                .containsEntry(SslBundle.class.getName(), BUNDLE);
    }

    @Test
    void publisherIsMadeWithAnSslBundle() {
        try (KafkaPublisher publisher =
                (KafkaPublisher) destination(Map.of(), details(BUNDLE, "SSL")).publisher()) {
            assertThat(publisher.blocked()).isEmpty();
        }
    }

    /** They are for the application's own producers, and Postrider would refuse some of them. */
    @Test
    void howTheApplicationSendsIsNotHowPostriderDoes() {
        application.getProducer().setAcks("1");
        application.getProducer().setRetries(0);
        application.getProducer().setTransactionIdPrefix("tx-");
        application.setClientId("shop");

        assertThat(destination(Map.of(), details(null, null)).connecting())
                .doesNotContainKeys("acks", "retries", "key.serializer", "value.serializer", "client.id");
        destination(Map.of(), details(null, null)).publisher().close();
    }

    @Test
    void ownPropertiesComeOverAllAndAreChecked() {
        KafkaDestination mistaken = destination(Map.of("postrider.kafka.properties.acks", "0"), details(null, null));

        assertThatThrownBy(mistaken::publisher)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("acks=0");
        destination(Map.of("postrider.kafka.properties.compression.type", "lz4"), details(null, null))
                .publisher()
                .close();
    }
}
