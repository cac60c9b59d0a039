package dev.postrider.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.function.BiConsumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** An event as a CloudEvent 1.0, whatever it travels by. Any thread. */
public final class CloudEvents {
    /** The media type of {@link #structured}. */
    public static final String STRUCTURED_TYPE = "application/cloudevents+json; charset=UTF-8";

    private static final JsonFactory JSON = new JsonFactory();

    private final String defaultSource;
    private final Timestamps timestamps = new Timestamps();

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
        attribute.accept("source", event.source() != null ? event.source() : defaultSource);
        Instant time = event.occurredAt();
        if (time != null) {
            attribute.accept("time", timestamps.format(time));
        }
        attribute.accept("partitionkey", event.messageKey());
        attribute.accept("aggregatetype", event.aggregateType());
        attribute.accept("aggregateid", event.aggregateId());
    }

    /**
     * Attributes and payload as one JSON document.
     *
     * @param body the payload as it is to be sent
     */
    public byte[] structured(OutboxEvent event, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 512);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            forEach(event, json::writeStringProperty);
            json.writeStringProperty("datacontenttype", event.payload().contentType());
            if (event.payload().isJson()) {
                json.writeName("data");
                json.writeRawValue(new String(body, UTF_8));
            } else {
                json.writeName("data_base64");
                json.writeBinary(body);
            }
            json.writeEndObject();
        }
        return out.toByteArray();
    }
}
