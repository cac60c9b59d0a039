package dev.postrider.examples.logistics.relay;

import dev.postrider.kafka.consume.NotACloudEventException;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Everything that has arrived in a topic. */
final class Topic implements AutoCloseable {
    private final String name;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<ReceivedEvent> arrived = new ArrayList<>();

    Topic(String name) {
        this.name = name;
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", Worker.KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** Of this order, in the order in which they arrived. */
    synchronized List<ReceivedEvent> of(Object order) {
        return all().stream()
                .filter(event -> order.toString().equals(event.aggregateId()))
                .toList();
    }

    synchronized List<ReceivedEvent> all() {
        if (consumer.assignment().isEmpty()) {
            consumer.assign(consumer.partitionsFor(name).stream()
                    .map(partition -> new TopicPartition(name, partition.partition()))
                    .toList());
        }
        if (consumer.assignment().isEmpty()) {
            return List.of(); // The topic is being created.
        }
        ConsumerRecords<byte[], byte[]> records;
        do {
            records = consumer.poll(Duration.ofMillis(100));
            for (ConsumerRecord<byte[], byte[]> each : records) {
                try {
                    arrived.add(ReceivedEvent.read(each));
                } catch (NotACloudEventException e) {
                    throw new AssertionError(e);
                }
            }
        } while (!records.isEmpty());
        return List.copyOf(arrived);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
