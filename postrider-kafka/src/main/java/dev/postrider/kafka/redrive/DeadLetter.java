package dev.postrider.kafka.redrive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A record of a dead letter topic, with what the consumer that gave it up has written into its headers. */
record DeadLetter(ConsumerRecord<byte[], byte[]> record) {
    /** Of the headers that consumers add when they give a record up. */
    private static final String ADDED = "postrider-dlq-";

    /** The time of the run that sent the record back. */
    static final String REDRIVE = "postrider-redrive";

    /** How often the record was sent back, this time included. */
    static final String COUNT = "postrider-redrive-count";

    /** Where the record was in the dead letter topic. Two records with the same value are one that was sent twice. */
    static final String FROM = "postrider-redrive-from";

    /** What stands in the place of a class where no reason is given. */
    static final String NO_REASON = "(none)";

    /** Where it was read before it died; null if it does not say. */
    @Nullable
    String topic() {
        return header(ADDED + "topic");
    }

    String reason() {
        String name = header(ADDED + "exception");
        return name == null ? NO_REASON : name;
    }

    String message() {
        String text = header(ADDED + "message");
        return text == null ? "" : text;
    }

    @Nullable
    String group() {
        return header(ADDED + "group");
    }

    byte @Nullable [] key() {
        return record.key();
    }

    /** When it was put into the dead letter topic. */
    Instant diedAt() {
        return Instant.ofEpochMilli(record.timestamp());
    }

    /** How often it was sent back before. What somebody else has written there counts as never. */
    int redriven() {
        String count = header(COUNT);
        return count != null && count.matches("\\d{1,6}") ? Integer.parseInt(count) : 0;
    }

    int size() {
        return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    }

    /**
     * As it was before it died, and marked. No partition: where its key belongs may have changed. No timestamp: the topic's
     * retention would count from when the record was young, and could delete it at once.
     */
    ProducerRecord<byte[], byte[]> sentBack(String destination, Instant run) {
        ProducerRecord<byte[], byte[]> again = new ProducerRecord<>(destination, null, record.key(), record.value());
        for (Header header : record.headers()) {
            if (!header.key().startsWith(ADDED) && !header.key().startsWith(REDRIVE)) {
                again.headers().add(header);
            }
        }
        again.headers().add(REDRIVE, run.toString().getBytes(UTF_8));
        again.headers().add(COUNT, String.valueOf(redriven() + 1).getBytes(UTF_8));
        again.headers().add(FROM, place().getBytes(UTF_8));
        return again;
    }

    /** {@code order-events.dlq-0@4711}. */
    String place() {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    private @Nullable String header(String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }
}
