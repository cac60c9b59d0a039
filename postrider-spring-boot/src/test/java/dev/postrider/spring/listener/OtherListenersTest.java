package dev.postrider.spring.listener;

import static dev.postrider.spring.listener.EventsTopic.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.PostriderListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.converter.JacksonJsonMessageConverter;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.util.backoff.FixedBackOff;

/** An application that has listeners of its own with their error handler and their converter. */
class OtherListenersTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    record Invoice(String number) {}

    @Configuration(proxyBeanMethods = false)
    static class Own {
        final List<String> recovered = new CopyOnWriteArrayList<>();
        final List<Invoice> invoices = new CopyOnWriteArrayList<>();
        final List<String> events = new CopyOnWriteArrayList<>();

        @Bean
        CommonErrorHandler errorHandler() {
            return new DefaultErrorHandler(
                    (record, error) -> recovered.add(String.valueOf(record.value())), new FixedBackOff(0, 1));
        }

        @Bean
        RecordMessageConverter converter() {
            return new JacksonJsonMessageConverter();
        }

        @KafkaListener(topics = "${topic}.dlq", groupId = "own", properties = "auto.offset.reset=earliest")
        void invoice(Invoice invoice) {
            if (invoice.number().equals("bad")) {
                throw new IllegalStateException("bad");
            }
            invoices.add(invoice);
        }

        @PostriderListener("${topic}")
        void event(ReceivedEvent event) {
            events.add(event.payload().text());
        }
    }

    /** Who asks by type gets the application's. */
    record ByType(ConcurrentKafkaListenerContainerFactory<?, ?> factory) {}

    @Test
    void keepThem() {
        try (EventsTopic topic = new EventsTopic(1)) {
            // Any topic will do for the other listener; nothing is given up here.
            topic.sendPlain(topic.name() + ".dlq", "k", "{\"number\": \"bad\"}");
            topic.sendPlain(topic.name() + ".dlq", "k", "{\"number\": \"i-1\"}");
            topic.send(event("a", "1").build());
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, Own.class, ByType.class).run()) {
                Own own = shop.getBean(Own.class);
                await().atMost(LONG).until(() -> own.invoices.size() == 1 && own.events.size() == 1);

                assertThat(own.invoices).containsExactly(new Invoice("i-1"));
                assertThat(own.recovered).containsExactly("{\"number\": \"bad\"}");
                assertThat(own.events).containsExactly("1");
                assertThat(shop.getBean(ByType.class).factory())
                        .isSameAs(shop.getBean("kafkaListenerContainerFactory"));
                assertThat(shop.getBeanNamesForType(ConsumerFactory.class)).hasSize(1);
            }
        }
    }
}
