package dev.postrider.examples.transfer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sits in Kafka's producer and notes which events were sent, in this order. */
public final class Sends implements ProducerInterceptor<byte[], byte[]> {
    /** Of all producers: Kafka makes these objects. */
    private static final List<UUID> ORDER = new CopyOnWriteArrayList<>();

    static List<UUID> order() {
        return List.copyOf(ORDER);
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> sent) {
        ORDER.add(UUID.fromString(new String(sent.headers().lastHeader("ce_id").value(), StandardCharsets.UTF_8)));
        return sent;
    }

    @Override
    public void configure(Map<String, ?> configuration) {}

    @Override
    public void close() {}
}
