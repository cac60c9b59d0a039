package dev.postrider.spring.transaction;

import dev.postrider.spring.TestDatabase;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;

class JdbcTransactionTest {

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
    abstract static class Contract extends SavepointContract {}

    @Configuration(proxyBeanMethods = false)
    @Import(Orders.Beans.class)
    @EnableAutoConfiguration(
            excludeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
    static class Shop {
        @Bean
        OrderStore store(JdbcTemplate jdbc) {
            jdbc.execute("create table if not exists orders (id varchar(40) primary key)");
            return id -> jdbc.update("insert into orders (id) values (?)", id);
        }
    }
}
