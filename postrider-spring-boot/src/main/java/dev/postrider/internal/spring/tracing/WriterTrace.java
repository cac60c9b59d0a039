package dev.postrider.internal.spring.tracing;

import dev.postrider.internal.spring.event.ContextHeaders;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trace that the writing thread is in, in the headers that the application's propagation has for it: {@code traceparent}
 * and {@code tracestate}, unless it is set to another. Tracing never keeps an event from being written.
 */
public final class WriterTrace implements ContextHeaders {
    private static final Logger log = LoggerFactory.getLogger(WriterTrace.class);

    /** What W3C allows for all of a baggage. */
    private static final int MAX_LENGTH = 8192;

    private final Tracer tracer;
    private final Propagator propagator;
    private final AtomicBoolean told = new AtomicBoolean();

    public WriterTrace(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public Map<String, String> get() {
        try {
            Span span = tracer.currentSpan();
            return span == null ? Map.of() : headers(span);
        } catch (RuntimeException e) {
            if (told.compareAndSet(false, true)) {
                log.warn("Events are written without their trace, which cannot be read. This is logged once.", e);
            }
            return Map.of();
        }
    }

    private Map<String, String> headers(Span span) {
        Map<String, String> headers = new HashMap<>();
        propagator.inject(span.context(), headers, WriterTrace::put);
        return headers;
    }

    /** What an outbox would refuse is left out. */
    private static void put(@Nullable Map<String, String> headers, String name, String value) {
        if (headers != null && value.length() <= MAX_LENGTH && value.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            headers.put(name, value);
        }
    }
}
