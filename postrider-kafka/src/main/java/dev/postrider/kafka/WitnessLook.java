package dev.postrider.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Asks partitions what has become of records there. Relay's thread; connects only for as long as a method lasts. */
final class WitnessLook {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final Map<String, Object> reader;
    private final Duration patience;

    WitnessLook(Map<String, Object> reader, Duration patience) {
        this.reader = reader;
        this.patience = patience;
    }

    enum Fate {
        COMMITTED,
        ABORTED,
        /** Nothing can be said now, or ever. */
        UNKNOWN
    }

    /**
     * What readers of committed records see was committed. What they have passed without seeing it was aborted, but only if it is
     * still there to be seen by others: it may as well be gone with the retention, by compaction, or with its whole topic.
     *
     * @param witnesses at most one of each partition
     * @throws KafkaException if the brokers do not say
     */
    Map<Witness, Fate> ask(Collection<Witness> witnesses) {
        Map<Witness, Seen> committed = look("read_committed", witnesses);
        List<Witness> hidden = witnesses.stream()
                .filter(one -> committed.get(one) == Seen.NOTHING)
                .toList();
        // After the others: what they should have seen was there for as long as they looked.
        Map<Witness, Seen> written = look("read_uncommitted", hidden);
        Map<Witness, Fate> fates = new HashMap<>();
        for (Witness witness : witnesses) {
            boolean visible = committed.get(witness) == Seen.IT;
            boolean undone = written.get(witness) == Seen.IT;
            fates.put(witness, visible ? Fate.COMMITTED : undone ? Fate.ABORTED : Fate.UNKNOWN);
        }
        return fates;
    }

    private enum Seen {
        IT,
        NOTHING,
        SOMETHING_ELSE
    }

    /** Those of which nothing can be said because their offset is not reached in time are missing. */
    private Map<Witness, Seen> look(String isolation, Collection<Witness> witnesses) {
        Map<Witness, Seen> seen = new HashMap<>();
        if (witnesses.isEmpty()) {
            return seen;
        }
        Map<TopicPartition, Witness> asked =
                witnesses.stream().collect(Collectors.toMap(Witness::partition, one -> one));
        Map<String, Object> settings = new HashMap<>(reader);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        // An offset that is no more says nothing of what was there.
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        // One record of each is wanted, and there may be hundreds of partitions.
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 16 * 1024);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            consumer.assign(asked.keySet());
            witnesses.forEach(one -> consumer.seek(one.partition(), one.offset()));
            long start = System.nanoTime();
            while (seen.size() < witnesses.size() && System.nanoTime() - start < patience.toNanos()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(PAUSE)) {
                    Witness witness = asked.get(new TopicPartition(record.topic(), record.partition()));
                    if (witness != null && record.offset() == witness.offset()) {
                        seen.put(witness, witness.is(record) ? Seen.IT : Seen.SOMETHING_ELSE);
                    }
                }
                for (Witness witness : witnesses) {
                    if (consumer.position(witness.partition()) > witness.offset()) {
                        seen.putIfAbsent(witness, Seen.NOTHING);
                        consumer.pause(List.of(witness.partition()));
                    }
                }
            }
        } finally {
            consumer.close(CloseOptions.timeout(CLOSING));
        }
        return seen;
    }
}
