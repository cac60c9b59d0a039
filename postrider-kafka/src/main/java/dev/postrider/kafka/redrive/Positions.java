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

    private final Map<TopicPartition, Deque<Pending>> pending = new HashMap<>();
    private final Map<TopicPartition, Long> next = new HashMap<>();

    Positions(Map<TopicPartition, Long> starts) {
        next.putAll(starts);
        starts.keySet().forEach(partition -> pending.put(partition, new ArrayDeque<>()));
    }

    /** Nothing has to be done about this one. */
    void skip(TopicPartition partition, long offset) {
        next.put(partition, offset + 1);
    }

    /** This one is about to be sent. */
    Pending send(TopicPartition partition, long offset) {
        Pending one = new Pending(offset);
        pending.get(partition).add(one);
        next.put(partition, offset + 1);
        return one;
    }

    /** Everything up to this offset was read, also where no records are. */
    void readUpTo(TopicPartition partition, long offset) {
        next.merge(partition, offset, Math::max);
    }

    long of(TopicPartition partition) {
        Deque<Pending> waiting = pending.get(partition);
        while (!waiting.isEmpty() && waiting.peek().done) {
            waiting.poll();
        }
        return waiting.isEmpty() ? next.get(partition) : waiting.peek().offset;
    }
}
