package dev.postrider.spring.listener;

import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.HandleOnce;
import dev.postrider.spring.PostriderListener;
import dev.postrider.spring.autoconfigure.InboxAutoConfiguration;
import dev.postrider.spring.autoconfigure.ListenerAutoConfiguration;
import dev.postrider.spring.autoconfigure.OnceAutoConfiguration;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A consumer as a process, which books amounts: whole batches in one transaction with their marks. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    KafkaAutoConfiguration.class,
    PostriderAutoConfiguration.class,
    InboxAutoConfiguration.class,
    OnceAutoConfiguration.class,
    RelayAutoConfiguration.class,
    ListenerAutoConfiguration.class
})
class Bookkeeping {

    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(Bookkeeping.class, Books.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=bookkeeping",
                        "spring.datasource.hikari.maximum-pool-size=2",
                        "postrider.schema.initialize=always",
                        "postrider.relay.enabled=false",
                        "postrider.listener.session-timeout=6s",
                        "postrider.listener.heartbeat-interval=500ms");
    }

    /**
     * @param args properties of the application, each as {@code --name=value}
     */
    public static void main(String[] args) {
        application().run(args);
    }

    static class Books {
        private final JdbcTemplate jdbc;

        Books(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @PostriderListener("${topic}")
        @Transactional
        @HandleOnce
        public void book(List<ReceivedEvent> events) {
            List<Object[]> amounts = events.stream()
                    .map(event -> new Object[] {Integer.parseInt(event.payload().text())})
                    .toList();
            jdbc.batchUpdate("insert into booking (amount) values (?)", amounts);
        }
    }
}
