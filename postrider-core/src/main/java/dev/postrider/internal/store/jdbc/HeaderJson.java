package dev.postrider.internal.store.jdbc;

import dev.postrider.PostriderException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Headers as a JSON object. Values written by SQL that are not strings are taken as their JSON text. */
public final class HeaderJson {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private HeaderJson() {}

    static @Nullable String write(Map<String, String> headers) {
        return headers.isEmpty() ? null : MAPPER.writeValueAsString(headers);
    }

    public static Map<String, String> read(@Nullable String json) {
        if (json == null) {
            return Map.of();
        }
        try {
            Map<String, String> headers = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> header : MAPPER.readTree(json).properties()) {
                JsonNode value = header.getValue();
                headers.put(header.getKey(), value.isString() ? value.stringValue() : value.toString());
            }
            return headers;
        } catch (JacksonException e) {
            throw new PostriderException("The headers are not a JSON object.", e);
        }
    }
}
