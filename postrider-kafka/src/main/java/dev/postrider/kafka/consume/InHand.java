package dev.postrider.kafka.consume;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that a consumer has read and is not done with. Keeps two promises:
 *
 * <ul>
 *   <li>of a key, nothing is handed out while something earlier of it is not done;
 *   <li>what may be committed of a partition ends before the first record that is not done. Nothing is handed out of a
 *       partition before the group knows where that begins.
 * </ul>
 *
 * Consumer's thread.
 */
final class InHand {
    /** In the order in which they were assigned. */
    private final Map<TopicPartition, Partition> partitions = new LinkedHashMap<>();

    /** One partition from when it is assigned until it is revoked. */
    private static final class Partition {
        /** By offset, from the first that is not done. */
        private final Deque<Entry> entries = new ArrayDeque<>();

        /** Behind everything that was read. */
        private long read = -1;

        /** What the group knows; -1 as long as it is not certain that it knows anything. */
        private long committed = -1;

        private boolean hasBegun() {
            return committed >= 0;
        }

        private void forgetDone() {
            while (!entries.isEmpty() && entries.peekFirst().isDone()) {
                entries.removeFirst();
            }
        }

        /** Everything below this is done. */
        private long done() {
            Entry first = entries.peekFirst();
            return first == null ? read : first.origin().offset();
        }
    }

    void assigned(Collection<TopicPartition> added) {
        added.forEach(partition -> partitions.put(partition, new Partition()));
    }

    void drop(Collection<TopicPartition> removed) {
        removed.forEach(partitions::remove);
    }

    void take(ConsumerRecords<byte[], byte[]> records, boolean takesAnything) {
        for (TopicPartition name : records.partitions()) {
            Partition partition = partitions.computeIfAbsent(name, any -> new Partition());
            for (ConsumerRecord<byte[], byte[]> record : records.records(name)) {
                partition.entries.addLast(new Entry(record, takesAnything));
                partition.read = record.offset() + 1;
            }
        }
        // Behind the last record there may be marks of transactions, which are as good as done.
        records.nextOffsets().forEach((name, next) -> {
            Partition partition = partitions.get(name);
            if (partition != null) {
                partition.read = next.offset();
            }
        });
    }

    /** The first that was read of a partition and is not done; null if there is nothing. */
    @Nullable
    Long firstOf(TopicPartition name) {
        Partition partition = partitions.get(name);
        Entry first = partition == null ? null : partition.entries.peekFirst();
        return first == null ? null : first.origin().offset();
    }

    /**
     * Shows every record that is due, and that nothing of its key is in front of, to the worker: each once, those of a key in
     * their order. What the worker does not bring to an end keeps the rest of its key waiting.
     *
     * @param worker answers whether to go on
     */
    void eachReady(long now, Predicate<Entry> worker) {
        for (Partition partition : begun()) {
            Set<Object> closed = new HashSet<>();
            for (Entry entry : partition.entries) {
                if (entry.isDone() || closed.contains(entry.lane())) {
                    continue;
                }
                if (entry.isDue(now) && !worker.test(entry)) {
                    return;
                }
                if (!entry.isDone()) {
                    closed.add(entry.lane());
                }
            }
        }
    }

    /** Of the others nothing is handed out. */
    private List<Partition> begun() {
        return partitions.values().stream().filter(Partition::hasBegun).toList();
    }

    boolean hasReady(long now) {
        boolean[] found = new boolean[1];
        eachReady(now, entry -> {
            found[0] = true;
            return false;
        });
        return found[0];
    }

    /** What can be handed over at once: all that is ready, and what becomes so by the records before it. */
    List<Entry> batch() {
        List<Entry> batch = new ArrayList<>();
        for (Partition partition : begun()) {
            Set<Object> closed = new HashSet<>();
            for (Entry entry : partition.entries) {
                if (entry.isDone() || closed.contains(entry.lane())) {
                    continue;
                }
                if (entry.fitsIntoBatch()) {
                    batch.add(entry);
                } else {
                    closed.add(entry.lane());
                }
            }
        }
        return batch;
    }

    /** When the first of those that wait is due. */
    OptionalLong nextDue() {
        OptionalLong next = OptionalLong.empty();
        for (Partition partition : partitions.values()) {
            for (Entry entry : partition.entries) {
                if (entry.isWaiting() && (next.isEmpty() || entry.dueAt() - next.getAsLong() < 0)) {
                    next = OptionalLong.of(entry.dueAt());
                }
            }
        }
        return next;
    }

    /** Partitions of which something is not done. */
    Set<TopicPartition> unfinished() {
        Set<TopicPartition> names = new HashSet<>();
        partitions.forEach((name, partition) -> {
            partition.forgetDone();
            if (!partition.entries.isEmpty()) {
                names.add(name);
            }
        });
        return names;
    }

    /** How far each of these may be committed, if that is not what the group knows already. */
    Map<TopicPartition, OffsetAndMetadata> committable(Collection<TopicPartition> names) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition name : names) {
            Partition partition = partitions.get(name);
            if (partition != null && partition.hasBegun() && partition.read >= 0) {
                partition.forgetDone();
                if (partition.done() != partition.committed) {
                    offsets.put(name, new OffsetAndMetadata(partition.done()));
                }
            }
        }
        return offsets;
    }

    Set<TopicPartition> partitions() {
        return Set.copyOf(partitions.keySet());
    }

    /** The group knows this, be it from now on or from before. A partition begins with it. */
    void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((name, offset) -> {
            Partition partition = partitions.get(name);
            if (partition != null) {
                partition.committed = offset.offset();
            }
        });
    }

    /** Records of a partition that were read and are not done. */
    long behind(TopicPartition name) {
        Partition partition = partitions.get(name);
        return partition == null ? 0 : partition.read - partition.done();
    }
}
