package dev.postrider.examples.orders.demo;

import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.consume.StartAt;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the topic. It knows of orders what their events say, and never asks the service. */
final class Warehouse implements AutoCloseable {
    private static final List<String> NEEDED =
            List.of("id", "version", "customer", "deliverTo", "lines", "note", "total");

    private final KafkaEventConsumer consumer;
    private final Map<OrderVersion, AtomicInteger> arrived = new ConcurrentHashMap<>();
    private final AtomicInteger wrongIds = new AtomicInteger();
    private final AtomicInteger incomplete = new AtomicInteger();

    Warehouse(String bootstrapServers, String topic) {
        consumer = KafkaEventConsumer.builder(bootstrapServers, "warehouse")
                .topics(topic)
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .handler(this::handle)
                .build();
    }

    void start() {
        consumer.start();
    }

    private void handle(ReceivedEvent event) {
        JsonNode payload = JsonMapper.shared().readTree(event.payload().text());
        if (!event.id().equals(payload.path("eventId").asString(""))) {
            wrongIds.incrementAndGet();
        }
        JsonNode order = payload.path("order");
        if (!NEEDED.stream().allMatch(order::has)) {
            incomplete.incrementAndGet();
            return;
        }
        OrderVersion version = new OrderVersion(
                UUID.fromString(order.get("id").asString()),
                order.get("version").asInt());
        arrived.computeIfAbsent(version, any -> new AtomicInteger()).incrementAndGet();
    }

    int arrived() {
        return arrived.size();
    }

    boolean has(Collection<UUID> orders) {
        return orders.stream().allMatch(order -> arrived.containsKey(new OrderVersion(order, 1)));
    }

    Set<OrderVersion> missing(Set<OrderVersion> accepted) {
        return accepted.stream()
                .filter(version -> !arrived.containsKey(version))
                .collect(Collectors.toSet());
    }

    /** Allowed: events are delivered at least once. */
    long repeated() {
        return arrived.values().stream().filter(times -> times.get() > 1).count();
    }

    int wrongIds() {
        return wrongIds.get();
    }

    int incomplete() {
        return incomplete.get();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
