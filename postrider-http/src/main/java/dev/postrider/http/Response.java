package dev.postrider.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The answer of an {@link Endpoint}.
 *
 * @param headers beside those for type and length
 */
public record Response(int status, String contentType, byte[] body, Map<String, String> headers) {
    private static final JsonMapper JSON = JsonMapper.shared();

    public Response {
        headers = Map.copyOf(headers);
    }

    public static Response text(int status, String contentType, String text) {
        return new Response(status, contentType, text.getBytes(UTF_8), Map.of());
    }

    public static Response json(int status, Map<String, ?> object) {
        return new Response(status, "application/json", JSON.writeValueAsBytes(object), Map.of());
    }

    /** An error, as RFC 9457 has it. */
    public static Response problem(int status, String title, String detail, Map<String, String> headers) {
        byte[] body = JSON.writeValueAsBytes(Map.of("title", title, "status", status, "detail", detail));
        return new Response(status, "application/problem+json", body, headers);
    }
}
