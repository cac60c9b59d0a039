package dev.postrider;

import dev.postrider.internal.write.Storable;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The body of an event, byte for byte as the consumer will see it.
 *
 * <p>The array is not copied on the way in or out; neither side may change it.
 *
 * @param bytes the body; JSON is UTF-8
 * @param contentType its media type; {@value #JSON} is stored as text that SQL can query, everything else as bytes
 */
public record Payload(byte[] bytes, String contentType) {
    public static final String JSON = "application/json";

    private static final JsonFactory JSON_FACTORY = new JsonFactory();

    public Payload {
        Objects.requireNonNull(bytes, "bytes");
        Objects.requireNonNull(contentType, "contentType");
    }

    /**
     * A JSON document, kept exactly as written.
     *
     * @throws PostriderException if the text is not one JSON document
     */
    public static Payload json(String text) {
        Objects.requireNonNull(text, "JSON document");
        requireJson(text);
        Storable.requireText(text, "payload");
        return new Payload(text.getBytes(StandardCharsets.UTF_8), JSON);
    }

    /** Bytes of any format, as they are: they are not checked until an outbox writes them. */
    public static Payload bytes(byte[] bytes, String contentType) {
        return new Payload(bytes, contentType);
    }

    public boolean isJson() {
        return contentType.equals(JSON);
    }

    /** The body as text. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The length of the body, never its content. */
    @Override
    public String toString() {
        return "Payload[" + bytes.length + " bytes of " + contentType + "]";
    }

    /**
     * The database would refuse it too, but by an error that spoils the caller's transaction.
     */
    private static void requireJson(String text) {
        try (JsonParser parser = JSON_FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() == null) {
                throw new PostriderException("The payload is not JSON: it is empty. Nothing was written.");
            }
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new PostriderException("The payload is not JSON: more text follows after the document, at "
                        + position(parser) + ". Nothing was written.");
            }
        } catch (JacksonException notJson) {
            var at = notJson.getLocation();
            if (at == null) {
                throw new PostriderException(
                        "The payload cannot be read: it goes beyond a limit of the parser, such as 500"
                                + " nested levels. Nothing was written. Send it with Payload.bytes(..), which is not looked into.");
            }
            throw new PostriderException("The payload is not JSON: see line " + at.getLineNr() + ", column "
                    + at.getColumnNr() + ". Nothing was written. Send other formats with Payload.bytes(..).");
        }
    }

    private static String position(JsonParser parser) {
        var at = parser.currentTokenLocation();
        return "line " + at.getLineNr() + ", column " + at.getColumnNr();
    }
}
