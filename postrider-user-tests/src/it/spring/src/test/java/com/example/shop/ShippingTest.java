package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.spring.test.WithoutRelay;
import dev.postrider.spring.test.WrittenEvents;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@WithoutRelay
class ShippingTest {

    @Test
    @Transactional
    void eventThatKnowsNothingOfPostriderIsWritten(@Autowired Outbox outbox, @Autowired WrittenEvents written) {
        outbox.write(new OrderShipped("o-1", "c-7"));

        assertThat(written.single("shop.order.shipped").headers()).containsEntry("customer", "c-7");
    }
}
