package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.event.PayloadReader;
import dev.postrider.internal.spring.listener.ListenerContainers;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.spring.PostriderListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.kafka.annotation.KafkaListener;
import tools.jackson.databind.json.JsonMapper;

/** Methods with {@code @PostriderListener}. They need no data source, and no outbox. */
@AutoConfiguration(
        after = HandlingTraceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnClass({KafkaListener.class, KafkaConnectionDetails.class, KafkaEventConsumer.class})
@ConditionalOnBean({KafkaConnectionDetails.class, KafkaProperties.class})
@EnableConfigurationProperties(PostriderProperties.class)
public final class ListenerAutoConfiguration {
    ListenerAutoConfiguration() {}

    /** Found by its name only: whoever wants a container factory by its type gets the application's. */
    @Bean(name = PostriderListener.CONTAINER_FACTORY, defaultCandidate = false)
    @ConditionalOnMissingBean(name = PostriderListener.CONTAINER_FACTORY)
    ListenerContainers postriderListenerContainerFactory(
            PostriderProperties properties,
            KafkaProperties kafka,
            KafkaConnectionDetails connection,
            ObjectProvider<JsonMapper> json,
            ObjectProvider<HandlingScope> scope,
            Environment environment) {
        ListenerClients clients = new ListenerClients(properties.listener(), kafka, connection, environment);
        return new ListenerContainers(
                clients.settings(),
                clients.concurrency(),
                clients.properties(),
                new PayloadReader(json.getIfAvailable(() -> JsonMapper.builder().build())),
                scope.getIfAvailable(() -> HandlingScope.NONE));
    }
}
