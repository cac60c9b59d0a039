package dev.postrider.tests.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Writes records into a dead letter topic as a consumer does that gives them up, but many at a time. */
public final class DeadLetters implements AutoCloseable {
    private final String topic;
    private final KafkaProducer<String, String> producer;
    private final List<Future<RecordMetadata>> answers = new ArrayList<>();

    public DeadLetters(String servers, String topic) {
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers, "max.request.size", "5000000"),
                new StringSerializer(),
                new StringSerializer());
    }

    /**
     * @param origin where it was read; null leaves the header out
     * @param reason class of an exception
     */
    public DeadLetters add(@Nullable String origin, @Nullable String key, String value, String reason, String group) {
        return add(null, origin, key, value, reason, group);
    }

    /**
     * @param diedAt in milliseconds since 1970
     */
    public DeadLetters add(
            @Nullable Long diedAt,
            @Nullable String origin,
            @Nullable String key,
            String value,
            String reason,
            String group) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, null, diedAt, key, value);
        record.headers().add("ce_id", ("id-of-" + value.substring(0, Math.min(20, value.length()))).getBytes(UTF_8));
        if (origin != null) {
            record.headers().add("postrider-dlq-topic", origin.getBytes(UTF_8));
        }
        record.headers().add("postrider-dlq-exception", reason.getBytes(UTF_8));
        record.headers().add("postrider-dlq-message", ("cannot handle " + key).getBytes(UTF_8));
        record.headers().add("postrider-dlq-group", group.getBytes(UTF_8));
        answers.add(producer.send(record));
        return this;
    }

    /** Returns when the brokers have them all. */
    public void await() throws Exception {
        for (Future<RecordMetadata> answer : answers) {
            answer.get();
        }
        answers.clear();
    }

    @Override
    public void close() {
        producer.close();
    }
}
