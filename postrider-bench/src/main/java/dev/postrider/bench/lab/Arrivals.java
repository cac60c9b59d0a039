package dev.postrider.bench.lab;

import dev.postrider.bench.BenchException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What has arrived in a topic, by the broker's clock. While a contender works this only asks the broker for the ends of
 * its partitions, a few times a second; the events themselves are read when all is over, so that reading takes nothing
 * from the one that is measured.
 */
public final class Arrivals implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    /** How far it has been read. */
    private final Map<TopicPartition, Long> positions = new HashMap<>();

    Arrivals(String bootstrapServers, String topic) {
        this.consumer = consumer(bootstrapServers);
        this.partitions = partitions(topic);
        consumer.assign(partitions);
        positions.putAll(consumer.beginningOffsets(partitions));
    }

    static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
        return new KafkaConsumer<>(Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                "read_committed",
                "key.deserializer",
                ByteArrayDeserializer.class,
                "value.deserializer",
                ByteArrayDeserializer.class,
                "fetch.max.bytes",
                64 << 20,
                "max.partition.fetch.bytes",
                16 << 20));
    }

    static List<TopicPartition> partitions(String topic) {
        return IntStream.range(0, Laboratory.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    /**
     * Waits until all of these events have arrived, and tells when.
     *
     * @param from number of the first event looked for; those with smaller numbers are passed over
     * @param patience without anything new for so long, it is given up
     */
    public Timeline await(long from, int count, Duration patience) {
        Expected expected = new Expected(from, count);
        long begin = sum(positions);
        long before = -1;
        long quietSince = System.nanoTime();
        while (expected.missing > 0) {
            sleep();
            long end = sum(consumer.endOffsets(partitions));
            if (end != before) {
                before = end;
                quietSince = System.nanoTime();
            } else if (end - begin >= count) {
                read(expected);
            }
            if (expected.missing > 0 && System.nanoTime() - quietSince > patience.toNanos()) {
                throw new BenchException((count - expected.missing) + " of " + count
                        + " events arrived, and nothing new for " + patience.toSeconds() + " s.");
            }
        }
        return new Timeline(expected.arrived, expected.duplicates, expected.reordered);
    }

    /** Waits for as many messages, and goes on behind them without having looked at them. */
    public void skip(long count) {
        long begin = sum(positions);
        long before = -1;
        for (long end = begin; end - begin < count || end != before; end = sum(consumer.endOffsets(partitions))) {
            before = end;
            sleep();
        }
        positions.putAll(consumer.endOffsets(partitions));
    }

    private static long sum(Map<TopicPartition, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    private void read(Expected expected) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        positions.forEach(consumer::seek);
        while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                expected.arrived(record);
            }
        }
        partitions.forEach(partition -> positions.put(partition, consumer.position(partition)));
    }

    /** Those that are waited for, and what has become of them. */
    private static final class Expected {
        private final long from;
        private final long[] arrived;
        private final Map<String, Long> newest = new HashMap<>();
        private int missing;
        private long duplicates;
        private long reordered;

        Expected(long from, int count) {
            this.from = from;
            this.missing = count;
            this.arrived = new long[count];
            Arrays.fill(arrived, -1);
        }

        void arrived(ConsumerRecord<byte[], byte[]> record) {
            long number = Numbers.of(record.value());
            if (number < from) {
                return;
            }
            int index = (int) (number - from);
            if (arrived[index] >= 0) {
                duplicates++;
                return;
            }
            arrived[index] = record.timestamp();
            missing--;
            Long before = newest.put(new String(record.key(), StandardCharsets.UTF_8), number);
            if (before != null && before > number) {
                reordered++;
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            throw Laboratory.interrupted(e);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }

    /**
     * @param millis for each event when it arrived, by the broker's clock
     */
    public record Timeline(long[] millis, long duplicates, long reordered) {

        /** Events a second between the first tenth, while everything still begins to move, and the last. */
        public double rate() {
            long[] sorted = millis.clone();
            Arrays.sort(sorted);
            int begin = sorted.length / 10;
            int last = sorted.length - 1;
            // The broker's clock counts milliseconds.
            return (last - begin) / (Math.max(1, sorted[last] - sorted[begin]) / 1e3);
        }
    }
}
