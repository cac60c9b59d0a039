package dev.postrider.internal.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.publish.CloudEvents;
import dev.postrider.publish.InvalidEventException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Turns an event into a Kafka record that is a CloudEvent 1.0. The event's own headers, such as {@code
 * traceparent}, become record headers beside it; names that CloudEvents claims for itself are left out.
 */
public final class Envelope {
    private static final String ATTRIBUTE_PREFIX = "ce_";
    private static final String CONTENT_TYPE = "content-type";

    /** Deep enough for what is written by people and programs; every level takes memory. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(100_000)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final boolean binary;
    private final @Nullable String bodyIdField;
    private final CloudEvents attributes;
    private final Map<String, String> headerNames = new ConcurrentHashMap<>();

    /**
     * @param binary whether attributes are headers, instead of being in the body with the payload
     */
    public Envelope(boolean binary, @Nullable String bodyIdField, String defaultSource) {
        this.binary = binary;
        this.bodyIdField = bodyIdField;
        this.attributes = new CloudEvents(defaultSource);
    }

    public ProducerRecord<byte[], byte[]> toRecord(OutboxEvent event, String topic) {
        byte[] body = bodyOf(event);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, null, key(event), binary ? body : attributes.structured(event, body));
        Headers headers = record.headers();
        if (binary) {
            CloudEvents.requireBinary(event);
            attributes.forEach(event, (name, value) -> headers.add(headerOf(name), value.getBytes(UTF_8)));
        }
        if (!binary || CloudEvents.hasContentType(event)) {
            headers.add(
                    CONTENT_TYPE,
                    (binary ? event.payload().contentType() : CloudEvents.STRUCTURED_TYPE).getBytes(UTF_8));
        }
        event.headers().forEach((name, value) -> {
            // Readers do not look at the case.
            boolean claimed = name.regionMatches(true, 0, ATTRIBUTE_PREFIX, 0, ATTRIBUTE_PREFIX.length());
            if (!claimed && !name.equalsIgnoreCase(CONTENT_TYPE)) {
                headers.add(name, value.getBytes(UTF_8));
            }
        });
        return record;
    }

    /** There are few names, and many events. */
    private String headerOf(String attribute) {
        return headerNames.computeIfAbsent(attribute, ATTRIBUTE_PREFIX::concat);
    }

    public static byte[] key(OutboxEvent event) {
        return event.messageKey().getBytes(UTF_8);
    }

    private byte[] bodyOf(OutboxEvent event) {
        Payload payload = event.payload();
        if (bodyIdField == null || !payload.isJson()) {
            return payload.bytes();
        }
        byte[] json = CloudEvents.inUtf8(payload.bytes());
        List<Span> values = valuesOf(json, bodyIdField);
        if (values == null) {
            return payload.bytes();
        }
        String id = event.id().toString();
        return values.isEmpty() ? withFirstField(json, bodyIdField, id) : withValues(json, values, id);
    }

    /** Bytes of a document, the last one excluded. */
    private record Span(int begin, int end) {}

    /** Where the values of this field are, of which JSON may have several; null if the body is not an object. */
    private static @Nullable List<Span> valuesOf(byte[] body, String field) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            List<Span> values = new ArrayList<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean found = parser.currentName().equals(field);
                parser.nextToken();
                int begin = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                if (found) {
                    // A text is read no further than its beginning unless asked.
                    parser.finishToken();
                    values.add(new Span(begin, (int) parser.currentLocation().getByteOffset()));
                }
            }
            return values;
        } catch (JacksonException e) {
            throw new InvalidEventException(
                    "Its content type is application/json, and its payload cannot be read as such:"
                            + " see line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ".");
        }
    }

    private static byte[] withValues(byte[] object, List<Span> values, String value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(object.length + values.size() * (value.length() + 2));
        int copied = 0;
        for (Span span : values) {
            out.write(object, copied, span.begin() - copied);
            out.writeBytes(("\"" + value + "\"").getBytes(UTF_8));
            copied = span.end();
        }
        out.write(object, copied, object.length - copied);
        return out.toByteArray();
    }

    /** Puts a field in front of the others and leaves every other byte as it is. */
    private static byte[] withFirstField(byte[] object, String field, String value) {
        int brace = 0;
        while (object[brace] != '{') {
            brace++;
        }
        int next = brace + 1;
        while (Character.isWhitespace(object[next])) {
            next++;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(object.length + field.length() + value.length() + 8);
        out.write(object, 0, brace + 1);
        out.writeBytes(("\"" + field + "\":\"" + value + "\"" + (object[next] == '}' ? "" : ",")).getBytes(UTF_8));
        out.write(object, brace + 1, object.length - brace - 1);
        return out.toByteArray();
    }
}
