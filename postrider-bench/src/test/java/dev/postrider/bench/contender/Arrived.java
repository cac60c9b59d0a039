package dev.postrider.bench.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What has arrived in a topic: the key of every event, by its number. */
final class Arrived implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<Long, String> keys = new TreeMap<>();

    Arrived(String bootstrapServers, String topic, int partitions) {
        consumer = new KafkaConsumer<>(Map.of(
                "bootstrap.servers", bootstrapServers,
                "key.deserializer", ByteArrayDeserializer.class,
                "value.deserializer", ByteArrayDeserializer.class));
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        consumer.assign(all);
        consumer.seekToBeginning(all);
    }

    /** Reads until so many different events have arrived, or for the longest time there is to wait. */
    Set<Long> awaitNumbers(int count, Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (keys.size() < count && System.nanoTime() < end) {
            consumer.poll(Duration.ofMillis(100)).forEach(this::add);
        }
        return new TreeSet<>(keys.keySet());
    }

    Map<Long, String> keys() {
        return Map.copyOf(keys);
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        String value = new String(record.value(), StandardCharsets.UTF_8);
        int from = value.indexOf(BenchEvent.MARK) + BenchEvent.MARK.length();
        int to = from;
        while (Character.isDigit(value.charAt(to))) {
            to++;
        }
        keys.put(Long.parseLong(value.substring(from, to)), new String(record.key(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        consumer.close();
    }
}
