package dev.postrider.bench.contender;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The producer of a peer that leaves sending to its user: that of {@link RawProducer}, but for the time it lingers. Any
 * thread may send.
 */
public final class PeerProducer implements AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;

    public PeerProducer(Place place, int lingerMillis) {
        Map<String, Object> settings = new HashMap<>(RawProducer.SETTINGS);
        settings.put("bootstrap.servers", place.bootstrapServers());
        settings.put("linger.ms", String.valueOf(lingerMillis));
        producer = new KafkaProducer<>(settings);
    }

    /** The future is done when the brokers have acknowledged the record. */
    public Future<RecordMetadata> send(String topic, String key, String document) {
        return producer.send(new ProducerRecord<>(
                topic, key.getBytes(StandardCharsets.UTF_8), document.getBytes(StandardCharsets.UTF_8)));
    }

    /** For the report. */
    public static String describe(int lingerMillis) {
        return "producer: acks=all, enable.idempotence=true, batch.size=65536, linger.ms=" + lingerMillis;
    }

    @Override
    public void close() {
        producer.close();
    }
}
