package dev.postrider.spring.handler;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.spring.autoconfigure.DestinationAutoConfiguration;
import dev.postrider.spring.autoconfigure.InboxAutoConfiguration;
import dev.postrider.spring.autoconfigure.OnceAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** An application without a broker: it handles the events of its own outbox. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    PostriderAutoConfiguration.class,
    InboxAutoConfiguration.class,
    OnceAutoConfiguration.class,
    DestinationAutoConfiguration.class,
    RelayAutoConfiguration.class
})
class HandlingShop {

    static SpringApplicationBuilder with(Class<?>... beans) {
        return new SpringApplicationBuilder(HandlingShop.class)
                .sources(beans)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.hikari.maximum-pool-size=10",
                        "postrider.schema.initialize=always",
                        "postrider.relay.destination=handlers",
                        "postrider.relay.retry.base=100ms",
                        "postrider.relay.retry.max-retries=1",
                        "postrider.relay.retry.jitter=0");
    }

    static void pay(ConfigurableApplicationContext shop, String order, int... numbers) {
        shop.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            for (int number : numbers) {
                shop.getBean(Outbox.class)
                        .write(OutboxEvent.builder("shop.order.paid")
                                .aggregate("order", order)
                                .json("{\"order\": \"%s\", \"number\": %d}".formatted(order, number))
                                .build());
            }
        });
    }
}
