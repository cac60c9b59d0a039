package dev.postrider.internal.spring.endpoint;

import dev.postrider.PostriderException;
import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The answers of endpoints: a JSON object, or {@code error} with one sentence. */
final class Answer {
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;
    private static final int FAILED = 500;

    private Answer() {}

    static WebEndpointResponse<Map<String, Object>> of(Supplier<Map<String, Object>> work) {
        try {
            return new WebEndpointResponse<>(work.get(), OK);
        } catch (RefusedException e) {
            return error(e.status(), e);
        } catch (PostriderException e) {
            boolean unreachable = e.getCause() instanceof SQLException cause && SqlErrors.isUnreachable(cause);
            return error(unreachable ? UNAVAILABLE : FAILED, e);
        }
    }

    private static WebEndpointResponse<Map<String, Object>> error(int status, RuntimeException e) {
        return new WebEndpointResponse<>(Map.of("error", String.valueOf(e.getMessage())), status);
    }

    /** Of names and values in turn; what is null is left out. */
    static Map<String, Object> object(@Nullable Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            Object value = namesAndValues[at + 1];
            if (value != null) {
                object.put(String.valueOf(namesAndValues[at]), value);
            }
        }
        return object;
    }
}
