package dev.postrider.examples.commerce.statistics;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends what the API sends, as often as a test likes. */
final class Api {
    private static final KafkaProducer<String, String> KAFKA = new KafkaProducer<>(
            Map.of("bootstrap.servers", Servers.KAFKA.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer());

    private Api() {}

    /** An event, which is the same one each time it is delivered. */
    record Event(UUID id, String topic, String type, String key, String payload) {
        Event(String topic, String type, Object key, String payload) {
            this(UUID.randomUUID(), topic, type, key.toString(), payload);
        }
    }

    static Event viewed(long product) {
        return new Event(
                "product-view-events",
                "acme.product.viewed.v1",
                product,
                "{\"occurredAt\": \"2026-01-01T00:00:00Z\", \"productId\": %d, \"user\": \"ann\"}".formatted(product));
    }

    static Event liked(long product, String user) {
        return like("created", product, user);
    }

    static Event unliked(long product, String user) {
        return like("canceled", product, user);
    }

    private static Event like(String what, long product, String user) {
        return new Event(
                "like-events",
                "acme.like." + what + ".v1",
                product,
                "{\"productId\": %d, \"user\": \"%s\"}".formatted(product, user));
    }

    static Event paid(UUID order, Map<Long, Integer> quantities) {
        List<String> items = quantities.entrySet().stream()
                .map(item -> "{\"productId\": %d, \"quantity\": %d}".formatted(item.getKey(), item.getValue()))
                .toList();
        return new Event(
                "order-events",
                "acme.order.paid.v1",
                order,
                "{\"orderId\": \"%s\", \"paymentId\": \"%s\", \"items\": %s}"
                        .formatted(order, UUID.randomUUID(), items));
    }

    static Event depleted(long product) {
        return new Event("stock-events", "acme.stock.depleted.v1", product, "{\"productId\": %d}".formatted(product));
    }

    /** Returns when the broker has all of them. */
    static void deliver(Event... events) {
        for (Event event : events) {
            ProducerRecord<String, String> record = new ProducerRecord<>(event.topic(), event.key(), event.payload());
            Map.of(
                            "ce_specversion",
                            "1.0",
                            "ce_id",
                            event.id().toString(),
                            "ce_type",
                            event.type(),
                            "ce_source",
                            "commerce-api",
                            "ce_time",
                            Instant.now().toString(),
                            "content-type",
                            "application/json")
                    .forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
            KAFKA.send(record);
        }
        KAFKA.flush();
    }
}
