package dev.postrider.examples.orders;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Sits in Kafka's producer and notes when which event was sent, and when that failed. */
public final class Sends implements ProducerInterceptor<byte[], byte[]> {
    /** Of all producers: Kafka makes these objects. */
    private static final List<Moment> MOMENTS = new CopyOnWriteArrayList<>();

    private record Moment(UUID event, boolean failure, long nanos) {}

    /** How often the event was sent. */
    static int of(UUID event) {
        return (int) MOMENTS.stream()
                .filter(moment -> moment.event().equals(event) && !moment.failure())
                .count();
    }

    /** Which events were sent, in this order. */
    static List<UUID> order() {
        return MOMENTS.stream()
                .filter(moment -> !moment.failure())
                .map(Moment::event)
                .toList();
    }

    /** How long the event waited after each failure until it was sent again. */
    static List<Duration> waitsOf(UUID event) {
        List<Duration> waits = new ArrayList<>();
        @Nullable Moment failed = null;
        for (Moment moment : MOMENTS) {
            if (!moment.event().equals(event)) {
                continue;
            }
            if (moment.failure()) {
                failed = moment;
            } else if (failed != null) {
                waits.add(Duration.ofNanos(moment.nanos() - failed.nanos()));
            }
        }
        return waits;
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> sent) {
        note(sent.headers(), false);
        return sent;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, @Nullable Exception failure, Headers headers) {
        if (failure != null) {
            note(headers, true);
        }
    }

    private static void note(Headers headers, boolean failure) {
        UUID event = UUID.fromString(new String(headers.lastHeader("ce_id").value(), StandardCharsets.UTF_8));
        MOMENTS.add(new Moment(event, failure, System.nanoTime()));
    }

    @Override
    public void configure(Map<String, ?> configuration) {}

    @Override
    public void close() {}
}
