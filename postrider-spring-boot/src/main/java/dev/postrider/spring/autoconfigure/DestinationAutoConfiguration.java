package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.OwnPublisher;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.webhook.WebhookPublisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the relay delivers to: a publisher of the application's own, or else what {@code postrider.relay.destination} says. */
@AutoConfiguration(
        after = PostriderAutoConfiguration.class,
        afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnBean(OutboxTables.class)
@ConditionalOnBooleanProperty(name = "postrider.relay.enabled", matchIfMissing = true)
public final class DestinationAutoConfiguration {
    private static final String DESTINATION = PostriderAutoConfiguration.DESTINATION;

    DestinationAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(Publisher.class)
    RelayDestination postriderOwnPublisher(ObjectProvider<Publisher> publishers) {
        return new OwnPublisher(publishers);
    }

    /** Kafka, where {@code spring.kafka.*} says. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({KafkaPublisher.class, KafkaConnectionDetails.class})
    @ConditionalOnProperty(name = DESTINATION, havingValue = "kafka")
    @ConditionalOnMissingBean(Publisher.class)
    static class ToKafka {

        @Bean
        RelayDestination postriderKafka(
                PostriderProperties properties,
                TopicRouting routing,
                KafkaProperties kafka,
                KafkaConnectionDetails connection) {
            return new KafkaDestination(properties.kafka(), routing, kafka, connection);
        }
    }

    /** URLs. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = DESTINATION, havingValue = "webhook")
    @ConditionalOnMissingBean(Publisher.class)
    static class ToWebhooks {

        @Bean
        RelayDestination postriderWebhook(PostriderProperties properties) {
            PostriderProperties.Webhook webhook = properties.webhook();
            if (webhook.url() == null && webhook.routes().isEmpty()) {
                throw new PostriderStartException(
                        "postrider.relay.destination is webhook, and no URL is set.",
                        "Set postrider.webhook.url, or postrider.webhook.routes.* for each type of event.");
            }
            return () -> publisher(webhook);
        }

        private static Publisher publisher(PostriderProperties.Webhook webhook) {
            WebhookPublisher.Builder builder = WebhookPublisher.builder()
                    .content(webhook.format())
                    .secrets(webhook.secret())
                    .connectTimeout(webhook.connectTimeout())
                    .timeout(webhook.timeout())
                    .inFlight(webhook.inFlight());
            if (webhook.url() != null) {
                builder.url(webhook.url().toString());
            }
            if (webhook.template() != null) {
                builder.template(webhook.template());
            }
            webhook.routes().forEach(builder::route);
            webhook.headers().forEach(builder::header);
            return builder.build();
        }
    }

    /** The application's log. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = DESTINATION, havingValue = "log")
    @ConditionalOnMissingBean(Publisher.class)
    static class ToLog {

        @Bean
        RelayDestination postriderLog(PostriderProperties properties) {
            return properties.log().payload() ? Slf4jPublisher::withPayloads : Slf4jPublisher::withoutPayloads;
        }
    }
}
