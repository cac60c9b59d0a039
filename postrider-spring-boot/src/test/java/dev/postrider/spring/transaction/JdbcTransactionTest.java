package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.CurrentTransaction;
import dev.postrider.Outbox;
import dev.postrider.spring.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
        classes = JdbcTransactionTest.Shop.class,
        properties = {
            "spring.application.name=shop",
            "postrider.schema.initialize=always",
            "postrider.relay.enabled=false",
            "spring.flyway.enabled=false"
        })
class JdbcTransactionTest extends TransactionContract {
    private static final String URL = TestDatabase.create();

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", () -> URL);
        registry.add("spring.datasource.username", TestDatabase::user);
        registry.add("spring.datasource.password", TestDatabase::password);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
    static class Shop {
        @Bean
        OrderStore store(JdbcTemplate jdbc) {
            jdbc.execute("create table if not exists orders (id varchar(40) primary key)");
            return id -> jdbc.update("insert into orders (id) values (?)", id);
        }

        @Bean
        Orders.Invoices invoices(OrderStore store, Outbox outbox) {
            return new Orders.Invoices(store, outbox);
        }

        @Bean
        Orders orders(OrderStore store, Outbox outbox, Orders.Invoices invoices) {
            return new Orders(store, outbox, invoices);
        }
    }

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    CurrentTransaction current;

    @Autowired
    Outbox outbox;

    @Test
    void savepointUndoesItsEventsOnly() {
        orders.placeThoughNestedInvoiceFails(order, invoice);

        assertThat(events()).containsExactly(order);
        assertThat(data()).containsExactly(order);
    }

    @Test
    void savepointThatIsReleasedKeepsItsEvents() {
        orders.placeWithNestedInvoice(order, invoice);

        assertThat(events()).containsExactlyInAnyOrder(order, invoice);
    }

    @Test
    void actionRunsOnceAfterTheCommitAndNeverBefore() {
        List<String> seen = new ArrayList<>();
        Runnable action = () -> seen.add("after");

        transactions.executeWithoutResult(status -> {
            current.afterCommit(action);
            current.afterCommit(action);
            seen.add("inside");
        });
        transactions.executeWithoutResult(status -> {
            current.afterCommit(action);
            status.setRollbackOnly();
        });

        assertThat(seen).containsExactly("inside", "after");
    }

    @Test
    void sourceIsTheApplicationsName() {
        orders.place(order);

        assertThat(jdbc.queryForObject("select source from outbox where aggregate_id = ?", String.class, order))
                .isEqualTo("shop");
    }

    @Test
    void collectionOfDomainEventsIsWrittenInItsOrder() {
        transactions.executeWithoutResult(
                status -> outbox.write(List.of(new OrderPlaced(order, 1), new OrderPlaced(invoice, 2))));

        assertThat(jdbc.queryForList(
                        "select aggregate_id from outbox where aggregate_id in (?, ?) order by id",
                        String.class,
                        order,
                        invoice))
                .containsExactly(order, invoice);
    }
}
