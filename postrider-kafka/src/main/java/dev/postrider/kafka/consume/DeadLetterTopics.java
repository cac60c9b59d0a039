package dev.postrider.kafka.consume;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Where records go that are given up: {@code TOPIC.dlq}, with their key, their value, their headers, and beside these the
 * reason. For those who read topics by other means than {@link KafkaEventConsumer}, which writes the same. Any thread, which
 * waits until the brokers have a record for good, ten seconds at most.
 */
public final class DeadLetterTopics implements AutoCloseable {
    static final String PREFIX = "postrider-dlq-";
    private static final int LONGEST_MESSAGE = 1_000;

    private final Map<String, Object> settings;
    private final String suffix;
    private final String group;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    DeadLetterTopics(Map<String, Object> settings, String suffix, String group) {
        this.settings = settings;
        this.suffix = suffix;
        this.group = group;
    }

    /**
     * @param group the group that gives records up
     * @param properties of Kafka's consumer; those for the connection apply
     */
    public static DeadLetterTopics of(ConsumerSettings settings, String group, Map<String, Object> properties) {
        return new DeadLetterTopics(
                ClientSettings.deadLetters(settings, properties), settings.deadLetterSuffix(), group);
    }

    /** The dead letter topic of a topic. */
    public String topicOf(String topic) {
        return topic + suffix;
    }

    String topicOf(Origin origin) {
        return topicOf(origin.topic());
    }

    /**
     * Returns when the record is there. If it throws, the record may be there nevertheless, and will be once more.
     */
    void write(Entry entry, Throwable reason) throws KafkaException, InterruptedException {
        write(entry.record(), reason, entry.attempts());
    }

    /**
     * Returns when the record is there. If it throws, the record may be there nevertheless, and will be once more.
     *
     * @param attempts how often it was tried; 0 if it could not be read
     */
    public synchronized void write(ConsumerRecord<byte[], byte[]> record, Throwable reason, int attempts)
            throws KafkaException, InterruptedException {
        ProducerRecord<byte[], byte[]> letter = letter(record, reason, attempts);
        try {
            if (producer == null) {
                producer = new KafkaProducer<>(settings);
            }
            producer.send(letter).get();
        } catch (ExecutionException e) {
            giveUpProducer();
            throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
        } catch (KafkaException | IllegalStateException e) {
            giveUpProducer();
            throw e instanceof KafkaException cause ? cause : new KafkaException(e);
        }
    }

    private ProducerRecord<byte[], byte[]> letter(
            ConsumerRecord<byte[], byte[]> record, Throwable reason, int attempts) {
        Origin origin = CloudEventReader.origin(record);
        // No timestamp: retention of dead letters counts from when they were written, and not from when they were
        // young.
        ProducerRecord<byte[], byte[]> letter =
                new ProducerRecord<>(topicOf(origin), null, record.key(), record.value());
        record.headers().forEach(letter.headers()::add);
        Headers headers = letter.headers();
        put(headers, "exception", reason.getClass().getName());
        put(headers, "message", shortened(String.valueOf(reason.getMessage())));
        put(headers, "topic", origin.topic());
        put(headers, "partition", String.valueOf(origin.partition()));
        put(headers, "offset", String.valueOf(origin.offset()));
        put(headers, "timestamp", origin.timestamp().toString());
        put(headers, "attempts", String.valueOf(attempts));
        put(headers, "group", group);
        return letter;
    }

    /** In place of one that is left from an earlier time in a dead letter topic. */
    private static void put(Headers headers, String name, String value) {
        headers.remove(PREFIX + name);
        headers.add(PREFIX + name, value.getBytes(UTF_8));
    }

    private static String shortened(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "…";
    }

    /** After a failure nobody knows what state it is in. */
    private void giveUpProducer() {
        KafkaProducer<byte[], byte[]> failed = producer;
        producer = null;
        if (failed != null) {
            failed.close(Duration.ZERO);
        }
    }

    @Override
    public synchronized void close() {
        giveUpProducer();
    }
}
