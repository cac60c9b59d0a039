package dev.postrider.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A record of a transaction in one of its partitions. Whether it was committed is whether the transaction was.
 *
 * @param timestamp that it has there. It tells the record from another one that came to its offset later, because the topic was
 *     made anew or its end was lost
 */
record Witness(TopicPartition partition, long offset, long timestamp) {
    boolean is(ConsumerRecord<byte[], byte[]> record) {
        return record.offset() == offset && record.timestamp() == timestamp;
    }
}
