package dev.postrider.internal.spring.tracing;

import dev.postrider.internal.spring.event.HandlingScope;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A span for each attempt to handle an event that carries the trace it was written in: a child of the span that wrote it, and
 * the current one of the thread that handles it. Any thread.
 */
public final class HandlingSpans implements HandlingScope {
    private static final Logger log = LoggerFactory.getLogger(HandlingSpans.class);

    private final Tracer tracer;
    private final Propagator propagator;

    public HandlingSpans(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public void run(Function<String, @Nullable String> headers, String name, String id, Work work) throws Exception {
        Span span = start(headers, name, id);
        if (span == null) {
            work.run();
            return;
        }
        Tracer.SpanInScope scope = tracer.withSpan(span);
        try {
            work.run();
        } catch (Exception | Error e) {
            span.error(e);
            throw e;
        } finally {
            scope.close();
            span.end();
        }
    }

    /** Null if the event carries no trace, or tracing fails: that is no reason not to handle it. */
    private @Nullable Span start(Function<String, @Nullable String> headers, String name, String id) {
        try {
            if (propagator.fields().stream().allMatch(field -> headers.apply(field) == null)) {
                return null;
            }
            return propagator
                    .extract(headers, (carrier, field) -> carrier.apply(field))
                    .name("outbox handle")
                    .kind(Span.Kind.CONSUMER)
                    .tag("messaging.operation.type", "process")
                    .tag("messaging.destination.name", name)
                    .tag("messaging.message.id", id)
                    .start();
        } catch (RuntimeException e) {
            log.debug("Event {} is handled without a span", id, e);
            return null;
        }
    }
}
