package dev.postrider.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.postrider.spring.TestDatabase;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

class JooqTransactionTest {

    @Nested
    @ContextConfiguration(initializers = TestDatabase.OnPostgres.class)
    class OnPostgres extends Contract {}

    @Nested
    @ContextConfiguration(initializers = TestDatabase.OnMariaDb.class)
    class OnMariaDb extends Contract {}

    @SpringBootTest(
            classes = Shop.class,
            properties = {
                "spring.application.name=shop",
                "postrider.schema.initialize=always",
                "postrider.relay.enabled=false",
                "postrider.capture-events=true",
                "spring.flyway.enabled=false"
            })
    abstract static class Contract extends SavepointContract {
        @Autowired
        DSLContext jooq;

        @Autowired
        OrderStore store;

        /** jOOQ's own transactions are Spring's, and inner ones are savepoints. */
        @Test
        void transactionOfJooqIsJoined() {
            jooq.transaction(outer -> {
                store.save(order);
                outbox.write(new OrderPlaced(order, 1));
                assertThatThrownBy(() -> outer.dsl().transaction(inner -> {
                            store.save(invoice);
                            outbox.write(new OrderPlaced(invoice, 1));
                            throw new IllegalStateException("on purpose");
                        }))
                        .hasMessage("on purpose");
            });

            assertThat(events()).containsExactly(order);
            assertThat(data()).containsExactly(order);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Orders.Beans.class)
    @EnableAutoConfiguration(
            excludeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
    static class Shop {
        @Bean
        OrderStore store(DSLContext jooq) {
            jooq.execute("create table if not exists orders (id varchar(40) primary key)");
            return id -> jooq.insertInto(table(name("orders")))
                    .set(field(name("id"), String.class), id)
                    .execute();
        }
    }
}
