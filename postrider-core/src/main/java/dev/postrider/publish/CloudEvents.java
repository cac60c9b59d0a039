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
 * An event as a CloudEvent 1.0, whatever the transport. Attributes that consumers could not read are corrected: a
 * source that is not a URI reference is encoded as one, a time that RFC 3339 cannot express is left out, and so is an
 * empty partition key or content type. In one document with the attributes, a JSON payload is UTF-8, and a payload that
 * is too much for most JSON parsers, for example because it is nested too deep, is included as bytes. Any thread.
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

    /** @param defaultSource the source of events that do not set one */
    public CloudEvents(String defaultSource) {
        this.defaultSource = defaultSource;
    }

    /** Its attributes except the payload's content type: names and values. */
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
     * @param body the payload as it will be sent
     * @throws InvalidEventException if the content type says JSON and the payload is not JSON
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

    /** Whether the payload has a content type. */
    public static boolean hasContentType(OutboxEvent event) {
        return !event.payload().contentType().isBlank();
    }

    /**
     * Refuses a payload that is itself a CloudEvent: consumers would take the message for one in structured mode.
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
     * A JSON payload in UTF-8, without a byte order mark.
     *
     * @throws InvalidEventException if the bytes are not text
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
