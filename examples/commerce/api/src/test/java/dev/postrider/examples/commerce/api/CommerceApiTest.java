package dev.postrider.examples.commerce.api;

import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** The API with the figures of its application.yml, and three brokers. All classes below this one share one application. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
abstract class CommerceApiTest {
    static final Duration PATIENCE = Duration.ofSeconds(120);
    static final Topic LIKES = topic("like-events");
    static final Topic ORDERS = topic("order-events");
    static final Topic PAYMENTS = topic("payment-events");
    static final Topic VIEWS = topic("product-view-events");
    static final Topic STOCK = topic("stock-events");

    @Autowired
    Catalog catalog;

    @Autowired
    Orders orders;

    @Autowired
    Outbox outbox;

    @Autowired
    OutboxAdmin admin;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TransactionTemplate transaction;

    private static Topic topic(String name) {
        return new Topic(Servers.KAFKA.bootstrapServers(), name);
    }

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry, Servers.migratedDatabase("shop"));
        registry.add("postrider.kafka.properties.interceptor.classes", ProducerFigures.class::getName);
        // An outage is noticed, and its end too, within the patience of a test.
        registry.add("postrider.kafka.properties.delivery.timeout.ms", () -> 6000);
        registry.add("postrider.kafka.properties.request.timeout.ms", () -> 5000);
        registry.add("postrider.kafka.properties.max.block.ms", () -> 2000);
        registry.add("postrider.relay.circuit.open-for", () -> "2s");
    }

    Product product(int stock) {
        return catalog.add(new Product.Offer("cup", new BigDecimal("8.50"), stock));
    }

    static List<ReceivedEvent> awaitArrived(Topic topic, Object aggregate, int events) {
        return await().atMost(PATIENCE).until(() -> topic.of(aggregate), arrived -> arrived.size() >= events);
    }
}
