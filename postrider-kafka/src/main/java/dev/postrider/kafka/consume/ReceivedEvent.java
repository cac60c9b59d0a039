package dev.postrider.kafka.consume;

import dev.postrider.Payload;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * An event as it arrived: the attributes of a CloudEvent 1.0, in whichever content mode it was sent.
 *
 * @param id the same each time the event is delivered; deduplicate by it
 * @param type what happened, by convention {@code company.domain.action.v1}
 * @param source where it comes from
 * @param time when it happened, if the event says so
 * @param aggregateType kind of thing that it happened to; null if the sender is not Postrider
 * @param aggregateId which one; null if the sender is not Postrider
 * @param payload the body, byte for byte as it was written
 * @param extensions every other attribute of the CloudEvent, such as {@code partitionkey}
 * @param headers the record's headers that are not part of the CloudEvent
 * @param key the record's key as text, if it has one
 * @param origin where it was read
 */
public record ReceivedEvent(
        String id,
        String type,
        String source,
        @Nullable Instant time,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        Payload payload,
        Map<String, String> extensions,
        Map<String, String> headers,
        @Nullable String key,
        Origin origin) {

    public ReceivedEvent {
        extensions = Map.copyOf(extensions);
        headers = Map.copyOf(headers);
    }

    /**
     * Reads a record in either content mode, for those who get records from a client of their own.
     *
     * @throws NotACloudEventException if the record is not a CloudEvent
     */
    public static ReceivedEvent read(ConsumerRecord<byte[], byte[]> record) throws NotACloudEventException {
        return CloudEventReader.read(record);
    }

    /** The W3C trace context in which the event was written, if there is one. */
    public @Nullable String traceparent() {
        return headerOrExtension("traceparent");
    }

    /** What vendors add to {@link #traceparent}. */
    public @Nullable String tracestate() {
        return headerOrExtension("tracestate");
    }

    /** The header is what the last one on the way knew; the attribute is of who made the event. */
    private @Nullable String headerOrExtension(String name) {
        String header = headers.get(name);
        return header != null ? header : extensions.get(name);
    }
}
