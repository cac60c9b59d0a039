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

    boolean isRead(ToLongFunction<TopicPartition> position) {
        return ends.keySet().stream().allMatch(partition -> position.applyAsLong(partition) >= ends.get(partition));
    }

    RedriveProgress progress(ToLongFunction<TopicPartition> position, long sent) {
        long read = 0;
        long of = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            long start = Math.min(starts.getOrDefault(end.getKey(), 0L), end.getValue());
            of += end.getValue() - start;
            read += Math.max(0, Math.min(position.applyAsLong(end.getKey()), end.getValue()) - start);
        }
        return new RedriveProgress(read, of, sent);
    }
}
