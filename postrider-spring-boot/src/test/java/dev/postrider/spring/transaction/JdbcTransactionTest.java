package dev.postrider.spring.transaction;

import dev.postrider.Outbox;
import dev.postrider.spring.TestDatabase;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class JdbcTransactionTest {

    @Nested
    class OnPostgres extends Contract {
        @DynamicPropertySource
        static void database(DynamicPropertyRegistry registry) {
            TestDatabase.register(registry, TestDatabase.create());
        }
    }

    @Nested
    class OnMariaDb extends Contract {
        @DynamicPropertySource
        static void database(DynamicPropertyRegistry registry) {
            TestDatabase.register(registry, TestDatabase.createOnMariaDb());
        }
    }

    @SpringBootTest(
            classes = Shop.class,
            properties = {
                "spring.application.name=shop",
                "postrider.schema.initialize=always",
                "postrider.relay.enabled=false",
                "postrider.capture-events=true",
                "spring.flyway.enabled=false"
            })
    abstract static class Contract extends SavepointContract {}

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
        Orders.Invoices invoices(OrderStore store, Outbox outbox, ApplicationEventPublisher publisher) {
            return new Orders.Invoices(store, outbox, publisher);
        }

        @Bean
        Orders orders(OrderStore store, Outbox outbox, Orders.Invoices invoices, ApplicationEventPublisher publisher) {
            return new Orders(store, outbox, invoices, publisher);
        }
    }
}
