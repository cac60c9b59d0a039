package dev.postrider.bench.contender;

import dev.postrider.bench.contender.BenchEvent.Shape;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Which events have come to a topic so far. Used by one thread. */
final class Arrivals implements AutoCloseable {
    private static final Pattern NUMBER = Pattern.compile(Pattern.quote(BenchEvent.MARK) + "\\s*(\\d+)");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Shape shape;
    private final Set<Long> numbers = new TreeSet<>();
    private final Set<Long> wrongKeys = new TreeSet<>();

    Arrivals(String bootstrapServers, String topic, Shape shape) {
        this.shape = shape;
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Polls until that many different events have come, or the time is over. */
    void await(int count, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (numbers.size() < count && System.nanoTime() < deadline) {
            poll(Duration.ofMillis(100));
        }
    }

    private void poll(Duration wait) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(wait)) {
            String value = new String(record.value(), StandardCharsets.UTF_8);
            Matcher found = NUMBER.matcher(value);
            if (!found.find()) {
                throw new AssertionError("no number in " + value);
            }
            long number = Long.parseLong(found.group(1));
            BenchEvent event = BenchEvent.of(number, shape);
            boolean rightKey = new String(record.key(), StandardCharsets.UTF_8).equals(event.key());
            if (!rightKey) {
                wrongKeys.add(number);
            }
            numbers.add(number);
        }
    }

    Set<Long> numbers() {
        poll(Duration.ofMillis(200));
        return numbers;
    }

    Set<Long> wrongKeys() {
        return wrongKeys;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
