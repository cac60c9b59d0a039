package dev.postrider.examples.commerce.api;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Sits in Kafka's producer and knows how that one was set. */
public final class ProducerFigures implements ProducerInterceptor<byte[], byte[]> {
    /** Of the newest producer: Kafka makes these objects. */
    static final Map<String, Object> LATEST = new ConcurrentHashMap<>();

    @Override
    public void configure(Map<String, ?> configuration) {
        configuration.forEach((name, value) -> {
            if (value != null) {
                LATEST.put(name, value);
            }
        });
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> sent) {
        return sent;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, @Nullable Exception failure) {}

    @Override
    public void close() {}
}
