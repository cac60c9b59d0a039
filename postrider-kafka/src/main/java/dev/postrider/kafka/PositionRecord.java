package dev.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What is written into a shard's partition of the positions topic: positions, under one key, and now and then an
 * <em>attestation</em>, which says of the position at some offset that the events before it were delivered although it is in a
 * transaction that was never committed there.
 *
 * <p>An attestation has a key of its own for each offset, and says what stays true for ever: also one that is written by a relay that
 * was paused for hours neither harms nor replaces anything.
 *
 * @param offset at which the position is, or was
 * @param position as the relay wrote it
 * @param isAttestation whether this is not the position itself
 * @param witnesses of the events before it; null if they are not known
 */
record PositionRecord(
        long offset,
        String position,
        boolean isAttestation,
        @Nullable List<Witness> witnesses) {
    private static final String POSITION = "position";
    private static final String DELIVERED = "delivered-";

    /** A position to be written. */
    static ProducerRecord<byte[], byte[]> position(TopicPartition partition, String position) {
        return new ProducerRecord<>(
                partition.topic(), partition.partition(), POSITION.getBytes(UTF_8), position.getBytes(UTF_8));
    }

    /** To be written: this position counts. */
    ProducerRecord<byte[], byte[]> attestation(TopicPartition partition) {
        return new ProducerRecord<>(
                partition.topic(),
                partition.partition(),
                (DELIVERED + offset).getBytes(UTF_8),
                position.getBytes(UTF_8));
    }

    /**
     * @return null if it is neither, or was meant for another topic of this name
     */
    static @Nullable PositionRecord of(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null || record.value() == null) {
            return null;
        }
        String key = new String(record.key(), UTF_8);
        String value = new String(record.value(), UTF_8);
        if (key.equals(POSITION)) {
            return new PositionRecord(record.offset(), value, false, Witnesses.of(record.headers()));
        }
        if (!key.startsWith(DELIVERED)) {
            return null;
        }
        try {
            long offset = Long.parseLong(key.substring(DELIVERED.length()));
            // One that speaks of what is not before it was meant for a topic that is no more.
            return offset < record.offset() ? new PositionRecord(offset, value, true, null) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
