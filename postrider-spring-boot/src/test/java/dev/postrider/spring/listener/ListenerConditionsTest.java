package dev.postrider.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.core.NestedExceptionUtils.getMostSpecificCause;

import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.listener.ListenerContainers;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.PostriderListener;
import dev.postrider.spring.autoconfigure.ListenerAutoConfiguration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.messaging.handler.annotation.Header;

/** When there are listeners, how they are set, and what is said about methods that cannot be one. No broker is asked. */
class ListenerConditionsTest {
    /** Without a data source, and without a mapper of the application's. */
    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, ListenerAutoConfiguration.class))
            .withPropertyValues("spring.application.name=shop", "spring.kafka.bootstrap-servers=127.0.0.1:1");

    static class Shop {
        @PostriderListener(topics = "order-events", id = "orders", autoStartup = "false")
        void on(ReceivedEvent event) {}
    }

    private static Map<String, Object> consumer(org.springframework.context.ApplicationContext context) {
        return context.getBean(ListenerContainers.class).getConsumerFactory().getConfigurationProperties();
    }

    @Test
    void figuresAreThoseOfThePlainConsumer() {
        APPLICATION.withBean(Shop.class).run(context -> {
            assertThat(consumer(context))
                    .containsEntry("group.id", "shop")
                    .containsEntry("enable.auto.commit", false)
                    .containsEntry("max.poll.records", 100)
                    .containsEntry("session.timeout.ms", 30_000)
                    .containsEntry("heartbeat.interval.ms", 10_000)
                    .containsEntry("max.poll.interval.ms", 300_000)
                    .containsEntry("isolation.level", "read_committed");
            MessageListenerContainer container =
                    context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("orders");
            assertThat(container).isNotNull();
            assertThat(container.getGroupId()).isEqualTo("shop");
            // A retry waits for the end of a poll: Spring Kafka's five seconds would be five times the first delay.
            assertThat(container.getContainerProperties().getPollTimeout()).isLessThan(1000);
        });
    }

    @Test
    void applicationsConsumerSettingsAreItsOwnExceptHowToConnect() {
        APPLICATION
                .withPropertyValues(
                        "spring.kafka.consumer.group-id=of-the-application",
                        "spring.kafka.consumer.max-poll-records=7",
                        "spring.kafka.consumer.properties.client.dns.lookup=resolve_canonical_bootstrap_servers_only",
                        "postrider.listener.properties.fetch.max.bytes=1000")
                .run(context -> assertThat(consumer(context))
                        .containsEntry("group.id", "of-the-application")
                        .containsEntry("max.poll.records", 100)
                        .containsEntry("client.dns.lookup", "resolve_canonical_bootstrap_servers_only")
                        .containsEntry("fetch.max.bytes", "1000"));
    }

    @Test
    void newerProtocolOfGroupsLeavesFiguresToTheBrokers() {
        APPLICATION
                .withPropertyValues("postrider.listener.properties.group.protocol=consumer")
                .run(context -> assertThat(consumer(context))
                        .doesNotContainKeys("session.timeout.ms", "partition.assignment.strategy"));
    }

    @Test
    void withoutSpringKafkaThereIsNothing() {
        APPLICATION
                .withClassLoader(new FilteredClassLoader(KafkaListener.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ListenerContainers.class));
    }

    @Test
    void withoutPostridersKafkaThereIsNothing() {
        APPLICATION
                .withClassLoader(new FilteredClassLoader(KafkaEventConsumer.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ListenerContainers.class));
    }

    @Test
    void factoryOfTheApplicationsOwnWins() {
        APPLICATION
                .withBean(PostriderListener.CONTAINER_FACTORY, String.class, () -> "own")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ListenerContainers.class));
    }

    private static void assertRefused(ApplicationContextRunner application, String... words) {
        application.run(context ->
                assertThat(getMostSpecificCause(context.getStartupFailure())).hasMessageContainingAll(words));
    }

    @ParameterizedTest
    @CsvSource({
        "properties.enable.auto.commit=true, Remove it",
        "properties.max.poll.records=5, postrider.listener.batch-size",
        "properties.auto.offset.reset=latest, postrider.listener.start-at",
        "batch-size=0, batch-size",
        "concurrency=0, postrider.listener.concurrency",
        "session-timeout=1s, session-timeout"
    })
    void settingThatCannotBeIsRefused(String setting, String words) {
        assertRefused(APPLICATION.withPropertyValues("postrider.listener." + setting), words);
    }

    static class TakesNothing {
        @PostriderListener("order-events")
        void on() {}
    }

    static class TakesTwo {
        @PostriderListener("order-events")
        void on(ReceivedEvent event, String text) {}
    }

    static class TakesHeadersOfABatch {
        @PostriderListener("order-events")
        void on(List<ReceivedEvent> events, @Header("ce_id") String id) {}
    }

    static class ReturnsAFuture {
        @PostriderListener("order-events")
        CompletableFuture<String> on(ReceivedEvent event) {
            return CompletableFuture.completedFuture("");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {TakesNothing.class, TakesTwo.class, TakesHeadersOfABatch.class, ReturnsAFuture.class})
    void methodThatCannotBeAListenerIsRefused(Class<?> bean) {
        APPLICATION
                .withBean(bean)
                .run(context -> assertThat(getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOf(PostriderStartException.class)
                        .hasMessageContainingAll(bean.getName() + ".on", "It takes a ReceivedEvent"));
    }
}
