package dev.postrider.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.core.NestedExceptionUtils.getMostSpecificCause;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.OutboxHandler;
import dev.postrider.spring.TestDatabase;
import dev.postrider.spring.autoconfigure.DestinationAutoConfiguration;
import dev.postrider.spring.autoconfigure.InboxAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import dev.postrider.testing.RecordingPublisher;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** What handlers there may be, and what is said about others when the application starts. */
class HandlerConditionsTest {
    private static final ApplicationContextRunner WITHOUT_DATABASE = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TransactionAutoConfiguration.class,
                    PostriderAutoConfiguration.class,
                    InboxAutoConfiguration.class,
                    DestinationAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues("spring.application.name=shop", "postrider.schema.initialize=always");

    /** No mapper of the application's either: then a plain one does. */
    private static final ApplicationContextRunner APPLICATION = WITHOUT_DATABASE
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3")
            .withPropertyValues(TestDatabase.properties(TestDatabase.create()));

    private static final ApplicationContextRunner TO_HANDLERS =
            APPLICATION.withPropertyValues("postrider.relay.destination=handlers");

    static class Shipping {
        @OutboxHandler("shop.order.paid")
        void ship(OrderPaid paid) {}
    }

    static class Billing {
        @OutboxHandler({"shop.order.paid", "shop.order.refunded"})
        void bill(OutboxEvent event) {}
    }

    static class Once {
        @OutboxHandler(value = "shop.order.paid", once = true)
        void ship(OrderPaid paid) {}
    }

    @Test
    void handlersAreADestination() {
        TO_HANDLERS
                .withBean(Shipping.class)
                .run(context -> assertThat(context.getBean(RelayLifecycle.class).isRunning())
                        .isTrue());
    }

    private static void assertRefused(ApplicationContextRunner application, String... words) {
        application.run(context -> assertThat(getMostSpecificCause(context.getStartupFailure()))
                .isInstanceOf(PostriderStartException.class)
                .hasMessageContainingAll(words));
    }

    @Test
    void secondHandlerOfATypeIsRefused() {
        assertRefused(
                TO_HANDLERS.withBean(Shipping.class).withBean(Billing.class),
                "shop.order.paid",
                "HandlerConditionsTest$Shipping.ship(OrderPaid)",
                "HandlerConditionsTest$Billing.bill(OutboxEvent)");
    }

    static class TakesNothing {
        @OutboxHandler("shop.order.paid")
        void ship() {}
    }

    static class TakesTwoPayloads {
        @OutboxHandler("shop.order.paid")
        void ship(OrderPaid paid, String text) {}
    }

    static class ReturnsAFuture {
        @OutboxHandler("shop.order.paid")
        CompletableFuture<String> ship(OrderPaid paid) {
            return CompletableFuture.completedFuture("");
        }
    }

    static class IsPrivate {
        @OutboxHandler("shop.order.paid")
        private void ship(OrderPaid paid) {}
    }

    static class HasNoType {
        @OutboxHandler(" ")
        void ship(OrderPaid paid) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TakesNothing.class,
                TakesTwoPayloads.class,
                ReturnsAFuture.class,
                IsPrivate.class,
                HasNoType.class
            })
    void methodThatCannotBeAHandlerIsRefused(Class<?> bean) {
        assertRefused(TO_HANDLERS.withBean(bean), bean.getName() + ".ship", "A handler takes the payload");
    }

    @ParameterizedTest
    @ValueSource(strings = {"log", "kafka"})
    void handlersBesideAnotherDestinationAreRefused(String destination) {
        assertRefused(
                APPLICATION
                        .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
                        .withBean(Shipping.class)
                        .withPropertyValues("postrider.relay.destination=" + destination),
                "Shipping.ship",
                "two outboxes");
    }

    @Test
    void handlersBesideAPublisherAreRefused() {
        assertRefused(
                TO_HANDLERS.withBean(Shipping.class).withBean(Publisher.class, RecordingPublisher::acceptingAll),
                "Shipping.ship",
                "two outboxes");
    }

    @Test
    void destinationWithoutAHandlerIsRefused() {
        assertRefused(TO_HANDLERS, "no bean has a method with @OutboxHandler");
    }

    @Test
    void applicationThatOnlyWritesMayHaveHandlers() {
        TO_HANDLERS
                .withBean(Shipping.class)
                .withPropertyValues("postrider.relay.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void handlerThatHandlesOnceNeedsToKnowItsTransactionManager() {
        assertRefused(
                TO_HANDLERS
                        .withBean(Once.class)
                        .withBean("one", PlatformTransactionManager.class, HandlerConditionsTest::manager)
                        .withBean("another", PlatformTransactionManager.class, HandlerConditionsTest::manager),
                "Once.ship",
                "transactionManager");
    }

    private static PlatformTransactionManager manager() {
        return new JdbcTransactionManager(new DriverManagerDataSource());
    }

    @Test
    void withoutADataSourceThereIsNothing() {
        WITHOUT_DATABASE
                .withBean(Shipping.class)
                .withPropertyValues("postrider.relay.destination=handlers")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RelayLifecycle.class));
    }
}
