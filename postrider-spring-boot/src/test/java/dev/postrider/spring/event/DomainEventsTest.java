package dev.postrider.spring.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.postrider.EventMapping;
import dev.postrider.NoTransactionException;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.spring.MappedEvent;
import dev.postrider.spring.TestDatabase;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import dev.postrider.spring.event.shop.OrderCancelled;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Domain events go in as they are, and those that cannot are told. */
class DomainEventsTest {
    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues(TestDatabase.properties(TestDatabase.create()))
            .withPropertyValues(
                    "postrider.schema.initialize=always",
                    "postrider.relay.enabled=false",
                    "spring.datasource.hikari.maximum-pool-size=2")
            .withUserConfiguration(Shop.class);

    sealed interface StockEvent {
        record Reserved(String product) implements StockEvent {}

        record Released(String product) implements StockEvent {}
    }

    record Unmapped(String any) {}

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackages = "dev.postrider.spring.event.shop")
    static class Shop {
        @Bean
        EventMapping<StockEvent> stock() {
            JsonMapper json = JsonMapper.builder().build();
            return EventMapping.forSealed(StockEvent.class)
                    .json(json)
                    .on(
                            StockEvent.Reserved.class,
                            event -> OutboxEvent.builder("stock.reserved").aggregate("product", event.product()))
                    .on(
                            StockEvent.Released.class,
                            event -> OutboxEvent.builder("stock.released").aggregate("product", event.product()))
                    .build();
        }
    }

    private static void inTransaction(ApplicationContext context, Runnable work) {
        context.getBean(TransactionTemplate.class).executeWithoutResult(status -> work.run());
    }

    private static List<String> typesOf(ApplicationContext context, String aggregate) {
        return context.getBean(JdbcTemplate.class)
                .queryForList(
                        "select event_type from outbox where aggregate_id = ? order by id", String.class, aggregate);
    }

    @Test
    void mappingIsFoundByBeanOrAnnotation() {
        APPLICATION.run(context -> {
            Outbox outbox = context.getBean(Outbox.class);
            inTransaction(context, () -> {
                outbox.write(new StockEvent.Reserved("p-1"));
                outbox.write(new StockEvent.Released("p-1"));
                outbox.write(new OrderCancelled("o-1", "late"));
            });

            assertThat(typesOf(context, "p-1")).containsExactly("stock.reserved", "stock.released");
            assertThat(typesOf(context, "o-1")).containsExactly("order.cancelled");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("select payload from outbox where aggregate_id = 'o-1'", String.class))
                    .isEqualTo("{\"order\":\"o-1\",\"reason\":\"late\"}");
        });
    }

    /** It may be needed to make the outbox itself. */
    @Test
    void eventThatIsNotMappedMakesNoOutboxBeforeItsTime() {
        APPLICATION
                .withPropertyValues("postrider.capture-events=true")
                .withUserConfiguration(PublishesWhileItIsMade.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(Outbox.class);
                    assertThat(context.getBean("outboxWasThere")).isEqualTo(false);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class PublishesWhileItIsMade {
        @Bean
        Boolean outboxWasThere(ApplicationEventPublisher publisher, ConfigurableListableBeanFactory beans) {
            publisher.publishEvent(new Unmapped("early"));
            return beans.containsSingleton("postriderOutbox");
        }
    }

    @Test
    void eventWithoutAMappingIsRefusedWithThoseThatHaveOne() {
        APPLICATION.run(context -> {
            Outbox outbox = context.getBean(Outbox.class);

            assertThatThrownBy(() -> inTransaction(context, () -> outbox.write(new Unmapped("x"))))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("Unmapped has no mapping")
                    .hasMessageContaining(StockEvent.class.getName())
                    .hasMessageContaining(OrderCancelled.class.getName());
        });
    }

    @Test
    void eventWithoutItsAggregateIsRefused() {
        APPLICATION.run(context -> {
            Outbox outbox = context.getBean(Outbox.class);

            assertThatThrownBy(() -> inTransaction(context, () -> outbox.write(new OrderCancelled(null, "late"))))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("has no order");
        });
    }

    @Test
    void publishedEventsAreCapturedInTheTransactionThatPublishesThem() {
        APPLICATION.withPropertyValues("postrider.capture-events=true").run(context -> {
            inTransaction(context, () -> {
                context.publishEvent(new StockEvent.Reserved("p-2"));
                context.publishEvent(new Unmapped("nobody minds"));
            });
            assertThatThrownBy(() -> inTransaction(context, () -> {
                        context.publishEvent(new StockEvent.Released("p-2"));
                        throw new IllegalStateException("on purpose");
                    }))
                    .hasMessage("on purpose");

            assertThat(typesOf(context, "p-2")).containsExactly("stock.reserved");
        });
    }

    @Test
    void publishedOutsideATransactionAMappedEventFailsItsPublisher() {
        APPLICATION.withPropertyValues("postrider.capture-events=true").run(context -> {
            assertThatThrownBy(() -> context.publishEvent(new StockEvent.Reserved("p-3")))
                    .isInstanceOf(NoTransactionException.class);
            assertThat(typesOf(context, "p-3")).isEmpty();
        });
    }

    /** One leaves what listeners throw to a handler, one runs them elsewhere, and one does so whether or not they may be. */
    static List<Supplier<ApplicationEventMulticaster>> multicasters() {
        return List.of(
                () -> {
                    SimpleApplicationEventMulticaster lenient = new SimpleApplicationEventMulticaster();
                    lenient.setErrorHandler(error -> {});
                    return lenient;
                },
                () -> {
                    SimpleApplicationEventMulticaster others = new SimpleApplicationEventMulticaster();
                    others.setTaskExecutor(new SimpleAsyncTaskExecutor("listener-"));
                    return others;
                },
                Elsewhere::new);
    }

    private static final class Elsewhere extends SimpleApplicationEventMulticaster {
        @Override
        protected void invokeListener(ApplicationListener<?> listener, ApplicationEvent event) {
            new SimpleAsyncTaskExecutor("elsewhere-").execute(() -> super.invokeListener(listener, event));
        }
    }

    @ParameterizedTest
    @MethodSource("multicasters")
    void captureIsThePublishersWhateverItsListenersAreRunBy(Supplier<ApplicationEventMulticaster> multicaster) {
        APPLICATION
                .withPropertyValues("postrider.capture-events=true")
                .withBean("applicationEventMulticaster", ApplicationEventMulticaster.class, multicaster)
                .run(context -> {
                    String product = UUID.randomUUID().toString();
                    inTransaction(context, () -> context.publishEvent(new StockEvent.Reserved(product)));
                    assertThatThrownBy(() -> context.publishEvent(new StockEvent.Reserved(product)))
                            .isInstanceOf(NoTransactionException.class);
                    assertThatThrownBy(() -> inTransaction(context, () -> {
                                context.publishEvent(new StockEvent.Released(product));
                                context.publishEvent(new OrderCancelled(null, "late"));
                            }))
                            .hasMessageContaining("has no order");

                    assertThat(typesOf(context, product)).containsExactly("stock.reserved");
                });
    }

    /** What it throws is left to the handler; but the transaction would be without an event that belongs to it. */
    @Test
    void eventThatAListenerPublishesAndThatCannotBeWrittenRollsTheTransactionBack() {
        APPLICATION
                .withPropertyValues("postrider.capture-events=true")
                .withBean(
                        "applicationEventMulticaster",
                        ApplicationEventMulticaster.class,
                        multicasters().get(0))
                .run(context -> {
                    context.addApplicationListener(ApplicationListener.forPayload(
                            (Unmapped heard) -> context.publishEvent(new OrderCancelled(null, "late"))));

                    assertThatThrownBy(() -> inTransaction(context, () -> {
                                context.publishEvent(new StockEvent.Reserved("p-4"));
                                context.publishEvent(new Unmapped("heard by the listener"));
                            }))
                            .isInstanceOf(PostriderException.class)
                            .hasMessageContaining("OrderCancelled was published, and could not be written");
                    assertThat(typesOf(context, "p-4")).isEmpty();
                });
    }

    /** Whoever publishes just before the commit comes too late for what others look at before it. */
    @Test
    void eventThatCannotBeWrittenJustBeforeTheCommitRollsTheTransactionBack() {
        APPLICATION.withPropertyValues("postrider.capture-events=true").run(context -> {
            assertThatThrownBy(() -> inTransaction(context, () -> {
                        context.publishEvent(new StockEvent.Reserved("p-6"));
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                catchThrowable(() -> context.publishEvent(new OrderCancelled(null, "late")));
                            }
                        });
                    }))
                    .isInstanceOf(PostriderException.class);
            assertThat(typesOf(context, "p-6")).isEmpty();
        });
    }

    /** As events were made before any object could be one. */
    @MappedEvent(type = "stock.counted", aggregateType = "product", aggregateId = "product")
    static class StockCounted extends ApplicationEvent {
        private static final long serialVersionUID = 1L;

        private final String product;

        StockCounted(Object source, String product) {
            super(source, Clock.fixed(Instant.ofEpochMilli(7), ZoneOffset.UTC));
            this.product = product;
        }

        public String getProduct() {
            return product;
        }
    }

    @Test
    void mappedApplicationEventsAreCapturedWithoutTheirSource() {
        APPLICATION.withPropertyValues("postrider.capture-events=true").run(context -> {
            inTransaction(context, () -> context.publishEvent(new StockCounted(context, "p-7")));

            assertThat(typesOf(context, "p-7")).containsExactly("stock.counted");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("select payload from outbox where aggregate_id = 'p-7'", String.class))
                    .isEqualTo("{\"product\":\"p-7\",\"timestamp\":7}");
        });
    }

    @Test
    void multicasterThatCannotBeCapturedFromIsRefusedAtTheStart() {
        APPLICATION
                .withPropertyValues("postrider.capture-events=true")
                .withInitializer(context -> context.getBeanFactory()
                        .registerSingleton("applicationEventMulticaster", new SimpleApplicationEventMulticaster()))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("events of this application cannot be captured"));
    }

    @Test
    void withoutThePropertyNothingIsCaptured() {
        APPLICATION.run(context -> {
            inTransaction(context, () -> context.publishEvent(new StockEvent.Reserved("p-5")));

            assertThat(typesOf(context, "p-5")).isEmpty();
        });
    }

    @Test
    void mappingThatDoesNotSayWhatItMapsIsRefusedAtTheStart() {
        APPLICATION
                .withBean(
                        "anything", EventMapping.class, () -> (EventMapping<Object>) event -> OutboxEvent.builder("a.b")
                                .aggregate("a", "b")
                                .json("{}")
                                .build())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'anything' does not say which events it maps"));
    }

    @Test
    void annotationThatNamesNoPropertyIsRefusedAtTheStart() {
        APPLICATION
                .withUserConfiguration(Mistaken.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("names the aggregateId 'ordr'"));
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackages = "dev.postrider.spring.event.mistaken")
    static class Mistaken {}
}
