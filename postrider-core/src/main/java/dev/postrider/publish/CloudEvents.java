package dev.postrider.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Locale;
import java.util.function.BiConsumer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * An event as a CloudEvent 1.0, whatever it travels by. Attributes that its consumers could not read are mended: a source
 * that is no URI reference is written as one, a time that RFC 3339 has no words for is left out, and so is an empty partition
 * key or content type. In one document with them, a payload of JSON is UTF-8, and one that is too much for most parsers of
 * JSON, because it is nested too deep for example, stands there as bytes. Any thread.
 */
public final class CloudEvents {
    /** The media type of {@link #structured}. */
    public static final String STRUCTURED_TYPE = "application/cloudevents+json; charset=UTF-8";

    private static final String CLOUD_EVENT = "application/cloudevents";

    /** What parsers read unless they are told otherwise; the document around the payload is one level more. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(StreamReadConstraints.DEFAULT_MAX_DEPTH - 1)
                    .build())
            .build();

    private final String defaultSource;
    private final Timestamps timestamps = new Timestamps();
    private final Sources sources = new Sources();

    /**
     * @param defaultSource the source of events that name none
     */
    public CloudEvents(String defaultSource) {
        this.defaultSource = defaultSource;
    }

    /** Its attributes, but for the payload's content type: names and values. */
    public void forEach(OutboxEvent event, BiConsumer<String, String> attribute) {
        attribute.accept("specversion", "1.0");
        attribute.accept("id", event.id().toString());
        attribute.accept("type", event.type());
        String source = event.source();
        attribute.accept("source", sources.referenceOf(source != null && !source.isBlank() ? source : defaultSource));
        Instant time = event.occurredAt();
        if (time != null && Timestamps.isExpressible(time)) {
            attribute.accept("time", timestamps.format(time));
        }
        if (!event.messageKey().isEmpty()) {
            attribute.accept("partitionkey", event.messageKey());
        }
        attribute.accept("aggregatetype", event.aggregateType());
        attribute.accept("aggregateid", event.aggregateId());
    }

    /**
     * Attributes and payload as one JSON document.
     *
     * @param body the payload as it is to be sent
     * @throws InvalidEventException if the payload is said to be JSON and is not
     */
    public byte[] structured(OutboxEvent event, byte[] body) {
        String text = event.payload().isJson() ? JsonText.of(body) : null;
        boolean asJson = text != null && isReadable(text);
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 512);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            forEach(event, json::writeStringProperty);
            if (hasContentType(event)) {
                json.writeStringProperty("datacontenttype", event.payload().contentType());
            }
            if (text != null && asJson) {
                json.writeName("data");
                json.writeRawValue(text);
            } else {
                json.writeName("data_base64");
                json.writeBinary(body);
            }
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /** Whether there is something to be said about the payload. */
    public static boolean hasContentType(OutboxEvent event) {
        return !event.payload().contentType().isBlank();
    }

    /**
     * A payload that is a CloudEvent already would make the message one in structured mode.
     *
     * @throws InvalidEventException if it is
     */
    public static void requireBinary(OutboxEvent event) {
        String type = event.payload().contentType();
        if (type.strip().toLowerCase(Locale.ROOT).startsWith(CLOUD_EVENT)) {
            throw new InvalidEventException("Its content type is " + type
                    + ": in binary mode consumers would take its payload for the event. Send such payloads in structured"
                    + " mode, or under another content type.");
        }
    }

    /**
     * A payload of JSON as most expect it.
     *
     * @throws InvalidEventException if the bytes are no text
     */
    public static byte[] inUtf8(byte[] json) {
        return JsonText.of(json).getBytes(UTF_8);
    }

    /**
     * @return false if it is too much for most parsers
     * @throws InvalidEventException if it is not JSON, as far as that can be seen
     */
    private static boolean isReadable(String body) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
            boolean empty = parser.nextToken() == null;
            parser.skipChildren();
            if (empty || parser.nextToken() != null) {
                throw new InvalidEventException(
                        "Its content type is application/json, and its payload is not one" + " document of JSON.");
            }
            return true;
        } catch (StreamConstraintsException e) {
            return false;
        } catch (JacksonException e) {
            throw new InvalidEventException(
                    "Its content type is application/json, and its payload cannot be read as such:"
                            + " see line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ".");
        }
    }
}
