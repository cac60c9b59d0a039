package dev.postrider.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** An event as a CloudEvent 1.0, whatever it travels by. Any thread. */
public final class CloudEvents {
    /** The media type of {@link #structured}. */
    public static final String STRUCTURED_TYPE = "application/cloudevents+json; charset=UTF-8";

    private static final JsonFactory JSON = new JsonFactory();

    private final String defaultSource;

    /**
     * @param defaultSource the source of events that name none
     */
    public CloudEvents(String defaultSource) {
        this.defaultSource = defaultSource;
    }

    /** Its attributes, but for the payload's content type, by name. */
    public Map<String, String> of(OutboxEvent event) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", "1.0");
        attributes.put("id", event.id().toString());
        attributes.put("type", event.type());
        attributes.put("source", event.source() != null ? event.source() : defaultSource);
        Instant time = event.occurredAt();
        if (time != null) {
            attributes.put("time", time.toString());
        }
        attributes.put("partitionkey", event.messageKey());
        attributes.put("aggregatetype", event.aggregateType());
        attributes.put("aggregateid", event.aggregateId());
        return attributes;
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
            of(event).forEach(json::writeStringProperty);
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
