package dev.postrider.tests.support;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.publish.TopicRouting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Topics under a prefix of their own, unless it is empty, on the test run's one Kafka. */
public final class TestTopics {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String prefix;

    public TestTopics(String name) {
        this.prefix = name.isEmpty() ? "" : name + "-" + NUMBER.incrementAndGet() + "-";
    }

    /** By convention, under this prefix. */
    public TopicRouting routing() {
        return TopicRouting.byConvention().prefix(prefix);
    }

    public String prefix() {
        return prefix;
    }

    /** Creates a topic with settings given as name, value, name, value. */
    public void create(String topic, int partitions, String... settings) {
        NewTopic description = new NewTopic(prefix + topic, partitions, (short) 1);
        if (settings.length > 0) {
            description.configs(Map.of(settings[0], settings[1]));
        }
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
            admin.createTopics(List.of(description)).all().get();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The partitions of a topic created with {@link #create}. */
    public List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new TopicPartition(prefix + topic, number))
                .toList();
    }

    /** The first {@code count} records of a topic; fails if they do not come. */
    public <V> List<ConsumerRecord<String, V>> read(String topic, Deserializer<V> value, int count) {
        List<ConsumerRecord<String, V>> records = new ArrayList<>();
        read(topic, value, records, () -> records.size() >= count);
        return records;
    }

    /** The records of a topic up to and with the first that satisfies {@code last}. */
    public <V> List<ConsumerRecord<String, V>> readUntil(
            String topic, Deserializer<V> value, Predicate<ConsumerRecord<String, V>> last) {
        List<ConsumerRecord<String, V>> records = new ArrayList<>();
        read(topic, value, records, () -> records.stream().anyMatch(last));
        return records;
    }

    private <V> void read(
            String topic,
            Deserializer<V> value,
            List<ConsumerRecord<String, V>> records,
            java.util.function.BooleanSupplier done) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers(), "auto.offset.reset", "earliest");
        try (KafkaConsumer<String, V> consumer = new KafkaConsumer<>(settings, new StringDeserializer(), value)) {
            await().atMost(PATIENCE)
                    .until(() -> !consumer.partitionsFor(prefix + topic).isEmpty());
            List<TopicPartition> partitions = consumer.partitionsFor(prefix + topic).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!done.getAsBoolean()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("Only " + records.size() + " records came from " + prefix + topic);
                }
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
    }
}
