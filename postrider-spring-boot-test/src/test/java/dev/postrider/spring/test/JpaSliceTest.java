package dev.postrider.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;

@DataJpaTest
class JpaSliceTest extends WrittenEventsContract {

    @Test
    void eventIsThereBesideTheEntity(@Autowired TestEntityManager entities, @Autowired Outbox outbox) {
        entities.persist(new PurchaseOrder("o-1", 4200));
        outbox.write(new OrderPlaced("o-1", 4200));

        assertThat(written.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
    }
}
