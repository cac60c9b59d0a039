package dev.postrider.bench.contender;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The limit: Kafka's producer with the settings Postrider gives it, fed from memory. It reads no database, keeps no
 * promise, and sends what {@link #backlog} left in memory.
 */
final class RawProducer implements Contender {
    static final Map<String, Object> SETTINGS = Map.of(
            "key.serializer", ByteArraySerializer.class,
            "value.serializer", ByteArraySerializer.class,
            "acks", "all",
            "enable.idempotence", "true",
            "max.in.flight.requests.per.connection", "5",
            "linger.ms", "5",
            "batch.size", "65536");

    private final Place place;
    private final List<ProducerRecord<byte[], byte[]>> waiting = new ArrayList<>();
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    RawProducer(Place place) {
        this.place = place;
    }

    @Override
    public void prepare() {
        java.util.Map<String, Object> settings = new java.util.HashMap<>(SETTINGS);
        settings.put("bootstrap.servers", place.bootstrapServers());
        producer = new KafkaProducer<>(settings);
    }

    /** For latency: what a send costs when there is no database at all. */
    @Override
    public void write(List<BenchEvent> events) {
        events.forEach(event -> send(record(event)));
    }

    @Override
    public void backlog(List<BenchEvent> events) {
        events.forEach(event -> waiting.add(record(event)));
    }

    private ProducerRecord<byte[], byte[]> record(BenchEvent event) {
        return new ProducerRecord<>(
                place.topic(),
                event.key().getBytes(StandardCharsets.UTF_8),
                event.document().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void start() {
        waiting.forEach(this::send);
        waiting.clear();
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        if (producer == null) {
            throw new IllegalStateException("not prepared");
        }
        producer.send(record);
    }

    @Override
    public void stop() {
        if (producer != null) {
            producer.flush();
        }
    }

    @Override
    public List<String> settings() {
        return List.of("acks=all", "enable.idempotence=true", "linger.ms=5", "batch.size=65536");
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
    }
}
