package dev.postrider.kafka.consume;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Handles a record that is not a CloudEvent. Called by the consumer's thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * @throws Exception to have it retried, and put into the dead letter topic after the last retry
     */
    void handle(ConsumerRecord<byte[], byte[]> record) throws Exception;
}
