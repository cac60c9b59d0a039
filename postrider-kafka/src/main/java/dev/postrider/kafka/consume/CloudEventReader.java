package dev.postrider.kafka.consume;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.Payload;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Turns a record into an event, in either content mode: the counterpart of the publisher's envelope, and of anybody else who
 * follows CloudEvents' binding for Kafka. Any thread.
 */
final class CloudEventReader {
    private static final String ATTRIBUTE_PREFIX = "ce_";
    private static final String CONTENT_TYPE = "content-type";
    private static final String STRUCTURED = "application/cloudevents+json";
    private static final String UNKNOWN_TYPE = "application/octet-stream";

    private CloudEventReader() {}

    /**
     * @throws NotACloudEventException if it is none
     */
    static ReceivedEvent read(ConsumerRecord<byte[], byte[]> record) throws NotACloudEventException {
        Map<String, String> attributes = new HashMap<>();
        Map<String, String> headers = new HashMap<>();
        String contentType = null;
        for (Header header : record.headers()) {
            String value = header.value() == null ? "" : new String(header.value(), UTF_8);
            if (header.key().startsWith(ATTRIBUTE_PREFIX)) {
                attributes.put(header.key().substring(ATTRIBUTE_PREFIX.length()), value);
            } else if (header.key().equalsIgnoreCase(CONTENT_TYPE)) {
                contentType = value;
            } else {
                headers.put(header.key(), value);
            }
        }
        byte[] value = record.value() == null ? new byte[0] : record.value();
        Payload payload;
        if (contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith(STRUCTURED)) {
            attributes.clear();
            payload = StructuredEvent.read(value, attributes);
        } else if (attributes.containsKey("specversion")) {
            payload = Payload.bytes(value, contentType == null ? UNKNOWN_TYPE : contentType);
        } else {
            throw new NotACloudEventException(
                    "it has neither a header ce_specversion nor the content-type " + STRUCTURED);
        }
        return event(record, attributes, payload, headers);
    }

    private static ReceivedEvent event(
            ConsumerRecord<byte[], byte[]> record,
            Map<String, String> attributes,
            Payload payload,
            Map<String, String> headers)
            throws NotACloudEventException {
        String version = take(attributes, "specversion");
        if (!version.startsWith("1.")) {
            throw new NotACloudEventException("its specversion is [" + version + "], and only 1.0 is understood");
        }
        return new ReceivedEvent(
                take(attributes, "id"),
                take(attributes, "type"),
                take(attributes, "source"),
                time(attributes.remove("time")),
                attributes.remove("aggregatetype"),
                attributes.remove("aggregateid"),
                payload,
                attributes,
                headers,
                record.key() == null ? null : new String(record.key(), UTF_8),
                origin(record));
    }

    static Origin origin(ConsumerRecord<?, ?> record) {
        return new Origin(
                record.topic(), record.partition(), record.offset(), Instant.ofEpochMilli(record.timestamp()));
    }

    private static String take(Map<String, String> attributes, String name) throws NotACloudEventException {
        String value = attributes.remove(name);
        if (value == null || value.isEmpty()) {
            throw new NotACloudEventException("it has no " + name);
        }
        return value;
    }

    private static @Nullable Instant time(@Nullable String text) throws NotACloudEventException {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new NotACloudEventException("its time is [" + text + "], which is none of RFC 3339");
        }
    }
}
