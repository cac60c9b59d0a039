package dev.postrider.kafka.consume;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.Payload;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A CloudEvent as one JSON document. Its payload is cut out of the document, not written anew, so that every byte of it is
 * as the sender had it.
 */
final class StructuredEvent {
    private static final JsonFactory JSON = new JsonFactory();

    private final byte[] document;
    private final Map<String, String> attributes;
    private byte[] data = new byte[0];
    private @Nullable String dataAsText;
    private boolean binary;

    private StructuredEvent(byte[] document, Map<String, String> attributes) {
        this.document = document;
        this.attributes = attributes;
    }

    /**
     * @param attributes gets everything but the payload and its content type
     */
    static Payload read(byte[] document, Map<String, String> attributes) throws NotACloudEventException {
        StructuredEvent event = new StructuredEvent(document, attributes);
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            event.read(json);
        } catch (JacksonException e) {
            // The parser's message quotes the document.
            var at = e.getLocation();
            throw new NotACloudEventException("it is not JSON"
                    + (at == null ? "" : ", see line " + at.getLineNr() + ", column " + at.getColumnNr()));
        }
        return event.payload();
    }

    private void read(JsonParser json) throws NotACloudEventException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new NotACloudEventException("it is not a JSON object");
        }
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            switch (name) {
                case "data" -> cut(json, value);
                case "data_base64" -> {
                    data = json.getBinaryValue();
                    binary = true;
                }
                default -> {
                    if (value.isStructStart()) {
                        throw new NotACloudEventException("its attribute " + name + " is no single value");
                    }
                    if (value != JsonToken.VALUE_NULL) {
                        attributes.put(name, json.getString());
                    }
                }
            }
        }
    }

    private void cut(JsonParser json, JsonToken value) {
        int begin = Math.toIntExact(json.currentTokenLocation().getByteOffset());
        if (value == JsonToken.VALUE_STRING) {
            dataAsText = json.getString();
        }
        json.skipChildren();
        json.finishToken();
        data = Arrays.copyOfRange(
                document, begin, Math.toIntExact(json.currentLocation().getByteOffset()));
    }

    private Payload payload() {
        String type = attributes.remove("datacontenttype");
        String contentType = type == null ? Payload.JSON : type;
        if (!binary && dataAsText != null && !isJson(contentType)) {
            return Payload.bytes(dataAsText.getBytes(UTF_8), contentType);
        }
        return Payload.bytes(data, contentType);
    }

    private static boolean isJson(String contentType) {
        String bare =
                contentType.toLowerCase(Locale.ROOT).replaceFirst(";.*", "").strip();
        return bare.endsWith("/json") || bare.endsWith("+json");
    }
}
