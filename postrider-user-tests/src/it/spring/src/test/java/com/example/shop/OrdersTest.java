package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.spring.test.PublishedEvents;
import dev.postrider.spring.test.WithoutRelay;
import dev.postrider.spring.test.WrittenEvents;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@WithoutRelay
class OrdersTest {
    @Autowired
    Orders orders;

    @Autowired
    WrittenEvents written;

    @Autowired
    PublishedEvents published;

    @Test
    @Transactional
    void placedOrderIsAnEvent() {
        orders.place("o-1", 4200);

        assertThat(written.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
    }

    @Test
    void committedEventWouldBePublished() {
        orders.place("o-2", 100);

        assertThat(published.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-2", 100));
    }
}
