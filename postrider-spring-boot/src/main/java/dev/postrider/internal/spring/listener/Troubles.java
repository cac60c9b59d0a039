package dev.postrider.internal.spring.listener;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What has become so far of records that failed, while they come once more. Of each partition that is one at most: nothing is read
 * beyond it. Threads of all containers of a listener.
 */
final class Troubles {

    /**
     * @param attempts how often it was tried
     * @param givenUp why it goes to the dead letter topic; null while there is hope
     */
    record Trouble(long offset, int attempts, @Nullable Throwable givenUp) {}

    private final Map<TopicPartition, Trouble> byPartition = new ConcurrentHashMap<>();

    /** Null if nothing has gone wrong with it. */
    @Nullable
    Trouble of(ConsumerRecord<?, ?> record) {
        Trouble known = byPartition.get(partition(record));
        return known != null && known.offset() == record.offset() ? known : null;
    }

    void put(ConsumerRecord<?, ?> record, int attempts, @Nullable Throwable givenUp) {
        byPartition.put(partition(record), new Trouble(record.offset(), attempts, givenUp));
    }

    void isOver(ConsumerRecord<?, ?> record) {
        byPartition.remove(partition(record));
    }

    private static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }
}
