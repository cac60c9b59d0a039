package dev.postrider.internal.spring.tracing;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.propagation.Propagator;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A span for each attempt to send an event that carries the trace it was written in, and a child of the span that wrote it. It
 * ends with the destination's answer. The event goes out as it was written: its header still names the writer's span, so
 * that it is the same with every attempt. Any thread.
 */
public final class SendSpans {
    private static final Logger log = LoggerFactory.getLogger(SendSpans.class);

    private final Supplier<@Nullable Propagator> propagator;

    /**
     * @param propagator null if there is none
     */
    public SendSpans(Supplier<@Nullable Propagator> propagator) {
        this.propagator = propagator;
    }

    CompletionStage<PublishResult> around(
            OutboxEvent event, String destination, Supplier<CompletionStage<PublishResult>> publish) {
        Span span = start(event, destination);
        if (span == null) {
            return publish.get();
        }
        try {
            return publish.get().whenComplete((result, error) -> end(span, result, error));
        } catch (RuntimeException | Error e) {
            end(span, null, e);
            throw e;
        }
    }

    /** Null if the event carries no trace, or tracing fails: that is no reason not to send it. */
    private @Nullable Span start(OutboxEvent event, String destination) {
        try {
            Propagator known = propagator.get();
            return known == null || known.fields().stream().noneMatch(event.headers()::containsKey)
                    ? null
                    : start(known, event, destination);
        } catch (RuntimeException e) {
            log.debug("Event {} is sent without a span", event.id(), e);
            return null;
        }
    }

    private static Span start(Propagator known, OutboxEvent event, String destination) {
        return known.extract(event, (carrier, name) -> carrier.headers().get(name))
                .name("outbox send")
                .kind(Span.Kind.PRODUCER)
                .tag("messaging.operation.type", "send")
                .tag("messaging.destination.name", destination)
                .tag("messaging.message.id", event.id().toString())
                .tag("postrider.event.type", event.type())
                .start();
    }

    private static void end(Span span, @Nullable PublishResult result, @Nullable Throwable error) {
        try {
            describe(span, result, error);
            span.end();
        } catch (RuntimeException e) {
            log.debug("A span could not be ended", e);
        }
    }

    private static void describe(Span span, @Nullable PublishResult result, @Nullable Throwable error) {
        if (error != null) {
            span.error(error);
        } else if (result != null) {
            span.tag("postrider.outcome", result.getClass().getSimpleName().toLowerCase(Locale.ROOT));
            String reason = reason(result);
            if (reason != null) {
                span.error(new NotAccepted(reason));
            }
        }
    }

    private static @Nullable String reason(PublishResult result) {
        if (result instanceof PublishResult.Rejected rejected) {
            return rejected.reason();
        }
        if (result instanceof PublishResult.Unavailable unavailable) {
            return unavailable.reason();
        }
        return result instanceof PublishResult.Blocked blocked ? blocked.reason() : null;
    }

    /** Spans take an error; where it was made says nothing. */
    private static final class NotAccepted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotAccepted(String reason) {
            super(reason, null, false, false);
        }
    }
}
