package dev.postrider.bench.contender;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The limit: Kafka's producer with the settings Postrider gives it, fed from memory. It reads no database, keeps no
 * promise, and sends what {@link #backlog} left in memory: the same messages as Postrider, which are CloudEvents, or bare
 * ones of key and document.
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

    private static final List<Header> CONSTANT = List.of(
            header("ce_specversion", "1.0"),
            header("ce_type", BenchEvent.TYPE),
            header("ce_source", "bench"),
            header("ce_aggregatetype", BenchEvent.AGGREGATE),
            header("content-type", "application/json"));

    private final Place place;
    private final List<ProducerRecord<byte[], byte[]>> waiting = new ArrayList<>();
    private final boolean bare;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    private RawProducer(Place place, boolean bare) {
        this.place = place;
        this.bare = bare;
    }

    static RawProducer ofCloudEvents(Place place) {
        return new RawProducer(place, false);
    }

    static RawProducer bare(Place place) {
        return new RawProducer(place, true);
    }

    @Override
    public void prepare() {
        java.util.Map<String, Object> settings = new java.util.HashMap<>(SETTINGS);
        settings.put("bootstrap.servers", place.bootstrapServers());
        if ("latency".equals(place.options().get("goal"))) {
            settings.put("linger.ms", "0");
        }
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
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                place.topic(),
                event.key().getBytes(StandardCharsets.UTF_8),
                event.document().getBytes(StandardCharsets.UTF_8));
        if (!bare) {
            CONSTANT.forEach(record.headers()::add);
            add(record, "ce_id", UUID.randomUUID().toString());
            add(record, "ce_time", Instant.now().toString());
            add(record, "ce_partitionkey", event.key());
            add(record, "ce_aggregateid", event.key());
        }
        return record;
    }

    private static void add(ProducerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(header(name, value));
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
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
        return List.of("acks=all", "enable.idempotence=true", "linger.ms=5 (0 for latency)", "batch.size=65536");
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
    }
}
