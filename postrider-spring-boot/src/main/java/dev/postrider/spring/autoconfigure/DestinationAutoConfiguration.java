package dev.postrider.spring.autoconfigure;

import dev.postrider.Inbox;
import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.handler.HandlerMethods;
import dev.postrider.internal.spring.handler.HandlersDestination;
import dev.postrider.internal.spring.handler.OnceTransactions;
import dev.postrider.internal.spring.inbox.Inboxes;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.OwnPublisher;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.webhook.WebhookPublisher;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import tools.jackson.databind.json.JsonMapper;

/** What the relay delivers to: a publisher of the application's own, or else what {@code postrider.relay.destination} says. */
@AutoConfiguration(
        after = {PostriderAutoConfiguration.class, InboxAutoConfiguration.class, HandlingTraceAutoConfiguration.class},
        afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
@ConditionalOnBooleanProperty(name = "postrider.relay.enabled", matchIfMissing = true)
public final class DestinationAutoConfiguration {
    private static final String DESTINATION = PostriderAutoConfiguration.DESTINATION;

    DestinationAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(Publisher.class)
    RelayDestination postriderOwnPublisher(
            ObjectProvider<Publisher> publishers, ConfigurableListableBeanFactory beans) {
        return new OwnPublisher(
                publishers::getObject,
                OutboxBeans.unqualified(beans, Publisher.class).stream().noneMatch(beans::isSingleton));
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
            return destination(properties.webhook());
        }

        static RelayDestination destination(PostriderProperties.Webhook webhook) {
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

    /** Methods of the application's beans. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = DESTINATION, havingValue = "handlers")
    @ConditionalOnMissingBean(Publisher.class)
    static class ToHandlers {

        @Bean
        RelayDestination postriderHandlers(
                PostriderProperties properties,
                ObjectProvider<Inboxes> inboxes,
                ConfigurableListableBeanFactory beans,
                Environment environment) {
            // Apart from the marks of listeners, which may get the same events from a broker.
            return destination(
                    HandlerMethods.MAIN,
                    properties,
                    () -> inboxes.getObject()
                            .of(InboxAutoConfiguration.consumer(properties, environment) + "-handlers"),
                    beans);
        }

        static RelayDestination destination(
                String outbox,
                PostriderProperties properties,
                Supplier<Inbox> inbox,
                ConfigurableListableBeanFactory beans) {
            return new HandlersDestination(
                    beans.getBean(HandlerMethods.class),
                    outbox,
                    new HandlersDestination.Settings(
                            properties.handlers().concurrency(),
                            properties.handlers().timeout(),
                            Threading.VIRTUAL.isActive(beans.getBean(Environment.class)) ? virtualThreads() : null),
                    new PayloadReader(beans.getBeanProvider(JsonMapper.class)
                            .getIfAvailable(() -> JsonMapper.builder().build())),
                    beans.getBeanProvider(HandlingScope.class).getIfAvailable(() -> HandlingScope.NONE),
                    new OnceTransactions(beans, inbox));
        }

        private static Executor virtualThreads() {
            SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("postrider-handler-");
            threads.setVirtualThreads(true);
            return threads;
        }
    }

    /** The application's log. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = DESTINATION, havingValue = "log")
    @ConditionalOnMissingBean(Publisher.class)
    static class ToLog {

        @Bean
        RelayDestination postriderLog(PostriderProperties properties) {
            return destination(properties.log());
        }

        static RelayDestination destination(PostriderProperties.Log log) {
            return log.payload() ? Slf4jPublisher::withPayloads : Slf4jPublisher::withoutPayloads;
        }
    }
}
