package dev.postrider.bench.contender.namastack;

import dev.postrider.bench.contender.BenchEvent;
import io.namastack.outbox.handler.OutboxHandler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.kafka.core.KafkaOperations;

/** Sends a record and waits until Kafka has it: namastack calls one record done before it takes the key's next. */
final class KafkaHandler implements OutboxHandler {
    private final KafkaOperations<String, String> kafka;
    private final String topic;

    KafkaHandler(KafkaOperations<String, String> kafka, String topic) {
        this.kafka = kafka;
        this.topic = topic;
    }

    @Override
    public boolean supports(Object payload, OutboxRecordMetadata metadata) {
        return payload instanceof BenchEvent;
    }

    /**
     * @throws CompletionException if Kafka did not take it; namastack tries again later
     */
    @Override
    public void handle(Object payload, OutboxRecordMetadata metadata) {
        String document = ((BenchEvent) payload).document();
        kafka.send(new ProducerRecord<>(topic, metadata.getKey(), document)).join();
    }
}
