package dev.postrider.spring.listener;

import static dev.postrider.spring.listener.EventsTopic.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.spring.PostriderListener;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** A listener is in the trace that the event was written in. */
class ListenerTraceTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    static class Traced {
        final List<String> traces = new CopyOnWriteArrayList<>();
        private final Tracer tracer;

        Traced(Tracer tracer) {
            this.tracer = tracer;
        }

        @PostriderListener("${topic}")
        void on(ReceivedEvent event) {
            Span span = tracer.currentSpan();
            traces.add(span == null ? "none" : span.context().traceId());
        }
    }

    @Test
    void traceOfTheWriterGoesOn() {
        try (EventsTopic topic = new EventsTopic(1)) {
            topic.send(
                    event("a", "1")
                            .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                            .build(),
                    event("a", "2").build());
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, Traced.class).run()) {
                List<String> traces = shop.getBean(Traced.class).traces;
                await().atMost(Duration.ofSeconds(60)).until(() -> traces.size() == 2);
                assertThat(traces).containsExactly(TRACE, "none");
            }
        }
    }
}
