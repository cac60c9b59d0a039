package dev.postrider.kafka.consume;

import java.time.Instant;

/**
 * Where a record was read.
 *
 * @param timestamp of the record: when it was sent or appended, depending on the topic's configuration
 */
public record Origin(String topic, int partition, long offset, Instant timestamp) {

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
