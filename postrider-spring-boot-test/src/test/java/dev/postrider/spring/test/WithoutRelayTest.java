package dev.postrider.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A whole application without its broker. */
@SpringBootTest
@WithoutRelay
class WithoutRelayTest {
    @Autowired
    Orders orders;

    @Autowired
    WrittenEvents written;

    @Autowired
    PublishedEvents published;

    @AfterEach
    void forgetOrders(@Autowired JdbcTemplate jdbc) {
        jdbc.update("delete from orders");
    }

    @Test
    void committedEventWouldBePublished() {
        orders.place("o-1", 4200);

        assertThat(published.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
        assertThat(written.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
    }

    @Test
    void eventsOfAKeyWouldBePublishedInTheirOrder() {
        orders.place("o-1", 4200);
        assertThat(published).hasSize(1);
        orders.cancelBySql("o-1");

        assertThat(published)
                .extracting(OutboxEvent::type)
                .containsExactly("shop.order.placed", "shop.order.cancelled");
    }

    @Test
    void scheduledEventIsWrittenAndWouldNotBePublishedYet() {
        orders.remind("o-1", Instant.parse("2099-01-01T00:00:00Z"));

        assertThat(written.of("shop.order.reminder")).hasSize(1);
        assertThat(published).isEmpty();
    }

    @Test
    @Transactional
    void eventOfATransactionUnderWayWouldNotBePublishedYet() {
        orders.place("o-2", 1);

        assertThat(written).hasSize(1);
        assertThat(published).isEmpty();
    }

    @Test
    void thereIsNeitherRelayNorBroker(@Autowired ApplicationContext context) {
        assertThat(context.getBeanNamesForType(RelayLifecycle.class)).isEmpty();
        assertThat(context.containsBean("postriderDevKafka")).isFalse();
    }
}
