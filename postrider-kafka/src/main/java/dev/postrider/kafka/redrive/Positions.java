package dev.postrider.kafka.redrive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * How far a run has come in each partition: up to the first record that is not acknowledged. Run's thread; only {@link
 * Pending#done} is called by the producer's.
 */
final class Positions {
    /** A record on its way. */
    static final class Pending {
        private final long offset;
        private volatile boolean done;

        private Pending(long offset) {
            this.offset = offset;
        }

        void done() {
            done = true;
        }
    }

    private static final class Partition {
        private final Deque<Pending> pending = new ArrayDeque<>();
        private long next;
    }

    private final Map<TopicPartition, Partition> partitions = new HashMap<>();

    Positions(Map<TopicPartition, Long> starts) {
        starts.forEach((name, start) -> partition(name).next = start);
    }

    /** Nothing has to be done about this one. */
    void skip(TopicPartition name, long offset) {
        partition(name).next = offset + 1;
    }

    /** This one is about to be sent. */
    Pending send(TopicPartition name, long offset) {
        Pending one = new Pending(offset);
        Partition partition = partition(name);
        partition.pending.add(one);
        partition.next = offset + 1;
        return one;
    }

    /** Everything up to this offset was read, also where no records are. */
    void readUpTo(TopicPartition name, long offset) {
        Partition partition = partition(name);
        partition.next = Math.max(partition.next, offset);
    }

    long of(TopicPartition name) {
        Partition partition = partition(name);
        Pending first = partition.pending.peek();
        while (first != null && first.done) {
            partition.pending.poll();
            first = partition.pending.peek();
        }
        return first == null ? partition.next : first.offset;
    }

    private Partition partition(TopicPartition name) {
        return partitions.computeIfAbsent(name, any -> new Partition());
    }
}
