package dev.postrider.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.RelaySettings;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.transaction.support.TransactionTemplate;

/** The relay in the life of an application, and relays elsewhere. */
class SpringRelayTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** What reached the destination, whichever context sent it. */
    private static final List<String> DELIVERED = new CopyOnWriteArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Shop {
        /** Nobody looks by itself in these tests: what is delivered was told of. */
        @Bean
        RelaySettings settings() {
            return RelaySettings.builder()
                    .polling(RelaySettings.Polling.FIXED)
                    .pollInterval(Duration.ofMinutes(10))
                    .build();
        }

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Publisher publisher() {
            return new Publisher() {
                @Override
                public String destination(OutboxEvent event) {
                    return "memory";
                }

                @Override
                public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                    DELIVERED.add(event.aggregateId());
                    return CompletableFuture.completedFuture(new PublishResult.Accepted());
                }
            };
        }
    }

    private static ConfigurableApplicationContext start(String url, String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(url))
                .properties("postrider.schema.initialize=always")
                .properties(more)
                .run();
    }

    private static void write(ConfigurableApplicationContext context, String... ids) {
        Outbox outbox = context.getBean(Outbox.class);
        context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            for (String id : ids) {
                outbox.write(OutboxEvent.builder("order.placed")
                        .aggregate("order", id)
                        .json("{}")
                        .build());
            }
        });
    }

    private static void awaitDelivery(String... ids) {
        await().atMost(LONG).untilAsserted(() -> assertThat(DELIVERED).contains(ids));
    }

    @Test
    void relayIsToldAfterTheCommitAndStartsAgainWithItsContext() {
        try (ConfigurableApplicationContext context = start(TestDatabase.create())) {
            await().atMost(LONG)
                    .until(() -> context.getBean(RelayLifecycle.class)
                                    .state()
                                    .orElseThrow()
                                    .shards()
                                    .size()
                            == 4);
            write(context, "told-1");
            awaitDelivery("told-1");

            context.stop();
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isFalse();
            write(context, "told-2");
            context.start();
            awaitDelivery("told-2");
            write(context, "told-3");
            awaitDelivery("told-3");
        }
    }

    @Test
    void writerWithoutARelayTellsThoseElsewhere() {
        String url = TestDatabase.create();
        try (ConfigurableApplicationContext relay = start(url);
                ConfigurableApplicationContext writer = start(url, "postrider.relay.enabled=false")) {
            await().atMost(LONG)
                    .until(() -> relay.getBean(RelayLifecycle.class)
                                    .state()
                                    .orElseThrow()
                                    .shards()
                                    .size()
                            == 4);
            write(writer, "elsewhere-1");

            awaitDelivery("elsewhere-1");
        }
    }

    /** Shards are shared by the relays of both; of whichever shard an event is, its reader is told. */
    @Test
    void relaysOfOtherInstancesAreToldOfEventsThatAreTheirs() {
        String url = TestDatabase.create();
        try (ConfigurableApplicationContext one = start(url);
                ConfigurableApplicationContext other = start(url)) {
            await().atMost(LONG)
                    .until(() -> List.of(one, other).stream()
                            .allMatch(context -> context.getBean(RelayLifecycle.class)
                                            .state()
                                            .orElseThrow()
                                            .shards()
                                            .size()
                                    == 2));
            String[] ids = IntStream.range(0, 20).mapToObj(i -> "shared-" + i).toArray(String[]::new);
            write(one, ids);

            awaitDelivery(ids);
        }
    }
}
