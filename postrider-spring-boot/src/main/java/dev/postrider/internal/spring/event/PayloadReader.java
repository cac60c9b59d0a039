package dev.postrider.internal.spring.event;

import dev.postrider.Payload;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as the types that methods take. Any thread. */
public final class PayloadReader {
    private final JsonMapper json;

    public PayloadReader(JsonMapper json) {
        this.json = json;
    }

    /**
     * @throws UnreadablePayloadException if the payload is not of this type
     */
    public Object read(Payload payload, Type type) {
        if (type == String.class) {
            return payload.text();
        }
        if (type == byte[].class) {
            return payload.bytes();
        }
        if (type == Payload.class) {
            return payload;
        }
        @Nullable Object value;
        try {
            value = json.readValue(payload.bytes(), json.constructType(type));
        } catch (JacksonException e) {
            throw new UnreadablePayloadException(type, where(e));
        }
        if (value == null) {
            throw new UnreadablePayloadException(type, "it is null");
        }
        return value;
    }

    /** The message itself may quote the payload. */
    private static String where(JacksonException e) {
        TokenStreamLocation at = e.getLocation();
        String path = e instanceof DatabindException databind ? databind.getPathReference() : "";
        return (path == null || path.isEmpty() ? "" : "see " + path + ", ")
                + (at == null
                        ? e.getClass().getSimpleName()
                        : "at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
}
