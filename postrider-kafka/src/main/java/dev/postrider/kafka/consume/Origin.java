package dev.postrider.kafka.consume;

import java.time.Instant;

/**
 * Where a record was read.
 *
 * @param timestamp the record's own: when it was sent, or appended, as the topic is set
 */
public record Origin(String topic, int partition, long offset, Instant timestamp) {

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
