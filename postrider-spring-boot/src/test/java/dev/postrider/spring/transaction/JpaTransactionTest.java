package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.Outbox;
import dev.postrider.PostriderException;
import dev.postrider.spring.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.transaction.NestedTransactionNotSupportedException;

class JpaTransactionTest {

    @Nested
    @ContextConfiguration(initializers = TestDatabase.OnPostgres.class)
    class OnPostgres extends Contract {}

    @Nested
    @ContextConfiguration(initializers = TestDatabase.OnMariaDb.class)
    class OnMariaDb extends Contract {}

    @SpringBootTest(
            classes = Shop.class,
            properties = {
                "postrider.schema.initialize=always",
                "postrider.relay.enabled=false",
                "postrider.capture-events=true",
                "spring.flyway.enabled=false",
                "spring.jpa.hibernate.ddl-auto=create",
                // As many do with Hibernate: autocommit then does not tell whether there is a transaction.
                "spring.datasource.hikari.auto-commit=false"
            })
    abstract static class Contract extends TransactionContract {
        @Autowired
        private Outbox outbox;

        @AfterEach
        void nothingMoreIsDoneWhenRowsAreStored() {
            OrderRow.whenStored = id -> {};
        }

        /** Which it does within the commit. */
        @Test
        void whatIsWrittenWhileHibernateStoresDataIsInTheTransaction() {
            OrderRow.whenStored = id -> outbox.write(new OrderPlaced(id, 1));

            orders.saveOnly(order);

            assertThat(events()).containsExactly(order);
            assertThat(data()).containsExactly(order);
        }

        @Test
        void eventThatCannotBeCapturedWhileHibernateStoresDataFailsTheTransactionWhateverIsCaught() {
            OrderRow.whenStored = id -> {
                try {
                    publisher.publishEvent(new OrderPlaced(null, 1));
                } catch (RuntimeException e) {
                    // Swallowed.
                }
            };

            assertThatThrownBy(() -> orders.saveOnly(order)).isInstanceOf(PostriderException.class);

            assertThat(events()).isEmpty();
            assertThat(data()).isEmpty();
        }

        /** Of JPA itself: Spring refuses savepoints, before there is anything to write. */
        @Test
        void savepointIsRefusedBySpring() {
            assertThatThrownBy(() -> orders.placeWithNestedInvoice(order, invoice))
                    .isInstanceOf(NestedTransactionNotSupportedException.class);

            assertThat(events()).isEmpty();
            assertThat(data()).isEmpty();
        }
    }

    @Entity(name = "Order")
    @Table(name = "orders")
    static class OrderRow {
        private static Consumer<String> whenStored = id -> {};

        @Id
        String id;

        OrderRow() {}

        OrderRow(String id) {
            this.id = id;
        }

        @PostPersist
        void stored() {
            whenStored.accept(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Orders.Beans.class)
    @EnableAutoConfiguration
    @EntityScan(basePackageClasses = JpaTransactionTest.class)
    static class Shop {
        @Bean
        OrderStore store(EntityManager entities) {
            return id -> entities.persist(new OrderRow(id));
        }
    }
}
