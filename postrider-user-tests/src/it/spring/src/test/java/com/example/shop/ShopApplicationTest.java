package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.kafka.core.ConsumerFactory;

/** The application as it is, against real servers. */
@SpringBootTest
class ShopApplicationTest {

    @Test
    void placedOrderReachesAConsumer(@Autowired Orders orders, @Autowired ConsumerFactory<String, String> consumers) {
        orders.place("o-1", 4200);

        ConsumerRecord<String, String> received = receive(consumers, "o-1");
        assertThat(received.value()).isEqualTo("{\"orderId\":\"o-1\",\"cents\":4200}");
        assertThat(header(received, "ce_type")).isEqualTo("shop.order.placed");
        assertThat(header(received, "ce_source")).isEqualTo("shop");
    }

    private static ConsumerRecord<String, String> receive(ConsumerFactory<String, String> consumers, String key) {
        Properties fromTheStart = new Properties();
        fromTheStart.setProperty("auto.offset.reset", "earliest");
        try (Consumer<String, String> consumer = consumers.createConsumer("somebody", null, null, fromTheStart)) {
            consumer.subscribe(List.of("order-events"));
            for (int polls = 0; polls < 120; polls++) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    if (key.equals(record.key())) {
                        return record;
                    }
                }
            }
        }
        throw new AssertionError("Nothing has arrived.");
    }

    private static String header(ConsumerRecord<?, ?> received, String name) {
        return new String(received.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
