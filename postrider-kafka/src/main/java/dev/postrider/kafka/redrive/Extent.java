package dev.postrider.kafka.redrive;

import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;

/** What is to be read: each partition from one offset to another, which is not included. */
record Extent(Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
    Extent {
        starts = Map.copyOf(starts);
        ends = Map.copyOf(ends);
    }

    long start(TopicPartition partition) {
        return starts.getOrDefault(partition, 0L);
    }

    long end(TopicPartition partition) {
        return ends.getOrDefault(partition, 0L);
    }

    boolean isRead(ToLongFunction<TopicPartition> position) {
        return ends.keySet().stream().allMatch(partition -> position.applyAsLong(partition) >= end(partition));
    }

    RedriveProgress progress(ToLongFunction<TopicPartition> position, long sent) {
        long read = 0;
        long of = 0;
        for (TopicPartition partition : ends.keySet()) {
            long end = end(partition);
            long start = Math.min(start(partition), end);
            of += end - start;
            read += Math.max(0, Math.min(position.applyAsLong(partition), end) - start);
        }
        return new RedriveProgress(read, of, sent);
    }
}
