package dev.postrider.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.relay.NotifierLifecycle;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import java.time.Instant;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

/**
 * What a test sees that runs in a transaction, which is rolled back: in every slice and on every database the same. A slice
 * has transactions for the methods of its own class only, so it is said here again.
 */
@Transactional
@Import(Orders.class)
abstract class WrittenEventsContract {
    @Autowired
    Orders orders;

    @Autowired
    WrittenEvents written;

    @Test
    void eventIsThereInTheTransactionThatWroteIt() {
        orders.place("o-1", 4200);

        assertThat(written.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
    }

    @Test
    void nothingIsThereAfterTheRollback() {
        orders.place("o-1", 4200);
        TestTransaction.end();

        assertThat(written).isEmpty();
    }

    /** The second finds what the first has committed in the same outbox. */
    @RepeatedTest(2)
    void eventsOfTestsBeforeAreNotThere() {
        assertThat(written).isEmpty();
        orders.cancelBySql("o-2");
        TestTransaction.flagForCommit();
        TestTransaction.end();

        assertThat(written).extracting(OutboxEvent::aggregateId).containsExactly("o-2");
    }

    @Test
    void eventsOfEveryOriginAreThereInTheirOrder() {
        orders.cancelBySql("o-3");
        orders.place("o-4", 1);
        orders.place("o-5", 2);

        assertThat(written)
                .extracting(OutboxEvent::type)
                .containsExactly("shop.order.cancelled", "shop.order.placed", "shop.order.placed");
        assertThat(written.of(OrderPlaced.class)).containsExactly(new OrderPlaced("o-4", 1), new OrderPlaced("o-5", 2));
        assertThat(written.of("shop.order.cancelled")).hasSize(1);
        assertThat(written)
                .hasToString(
                        "[shop.order.cancelled of order o-3, shop.order.placed of order o-4, shop.order.placed of order o-5]");
    }

    @Test
    void eventIsAsItWasWritten() {
        Instant later = Instant.parse("2099-01-02T03:04:05.678901Z");
        orders.remind("o-6", later);

        OutboxEvent reminder = written.single("shop.order.reminder");
        assertThat(reminder.deliverAfter()).isEqualTo(later);
        assertThat(reminder.headers()).containsEntry("channel", "mail");
        assertThat(reminder.source()).isEqualTo("shop");
        assertThat(reminder.payload().text()).isEqualTo("{}");
        assertThat(reminder.occurredAt()).isNotNull();
    }

    @Test
    void missingEventIsToldWithThoseThatAreThere() {
        orders.cancelBySql("o-7");

        assertThatThrownBy(() -> written.single(OrderPlaced.class))
                .isInstanceOf(AssertionError.class)
                .hasMessage("Expected one event of type shop.order.placed, but there are 0 of 1:"
                        + " [shop.order.cancelled of order o-7]");
        assertThatThrownBy(() -> written.single(String.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no @MappedEvent");
    }

    @Test
    void nothingDelivers(@Autowired ConfigurableApplicationContext context) {
        assertThat(context.getBeanNamesForType(RelayLifecycle.class)).isEmpty();
        assertThat(context.getBeanNamesForType(NotifierLifecycle.class)).isEmpty();
        assertThat(context.getBeanNamesForType(PublishedEvents.class)).isEmpty();
        assertThat(context.getBeanFactory().containsSingleton("postriderDevKafka"))
                .isFalse();
    }
}
