package dev.postrider.examples.orders;

import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.ReceivedEvent;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The service with the figures of its application.yml. All classes below this one share one application. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
abstract class OrderServiceTest {
    static final Topic TOPIC = Servers.topic("orders");
    static final Duration PATIENCE = Duration.ofSeconds(60);

    @Autowired
    Orders orders;

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry, "orders", Servers.POSTGRES.createDatabase("orders"));
        // An outage is noticed, and its end too, within the patience of a test.
        registry.add("postrider.kafka.properties.delivery.timeout.ms", () -> 500);
        registry.add("postrider.kafka.properties.request.timeout.ms", () -> 400);
        registry.add("postrider.kafka.properties.max.block.ms", () -> 500);
        registry.add("postrider.relay.circuit.open-for", () -> "200ms");
    }

    OutboxRow eventOf(Order order) {
        return OutboxRow.of(jdbc, order.id());
    }

    List<ReceivedEvent> awaitArrived(UUID order, int events) {
        return await().atMost(PATIENCE).until(() -> TOPIC.of(order), arrived -> arrived.size() >= events);
    }
}
