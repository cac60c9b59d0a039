package dev.postrider.internal.spring.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.spring.event.ContextHeaders;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalPublisher;
import dev.postrider.testing.RecordingPublisher;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tracing changes nothing about delivery, whatever it does. */
class TracedPublisherTest {
    private static final OutboxEvent TRACED = OutboxEvent.builder("order.placed")
            .aggregate("order", "1")
            .json("{}")
            .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .build();

    /** A method that publishers get later would otherwise be answered by its default. */
    @Test
    void everyMethodOfAPublisherIsHandedOn() {
        assertHandedOn(Publisher.class, TracedPublisher.class);
        assertHandedOn(TransactionalPublisher.class, TracedLine.class);
    }

    private static void assertHandedOn(Class<?> seam, Class<?> wrapper) {
        for (Method method : seam.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                assertThat(Arrays.stream(wrapper.getMethods())
                                .filter(own -> own.getName().equals(method.getName())
                                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes())))
                        .as(method.toString())
                        .allMatch(own -> !own.getDeclaringClass().isInterface());
            }
        }
    }

    @Test
    void tracingThatFailsNeitherKeepsEventsFromBeingSentNorFromBeingWritten() {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        CompletionStage<PublishResult> answer = TracedPublisher.of(publisher, new SendSpans(() -> {
                    throw new IllegalStateException("broken");
                }))
                .publish(TRACED, "somewhere");

        assertThat(answer.toCompletableFuture().join()).isInstanceOf(PublishResult.Accepted.class);
        ContextHeaders none = new WriterTrace(null, Propagator.NOOP);
        assertThat(none.get()).isEmpty();
        assertThat(new WriterTrace(Tracer.NOOP, Propagator.NOOP).get()).isEmpty();
    }

    @Test
    void whatThePublisherThrowsIsThrown() {
        Publisher throwing = new Publisher() {
            @Override
            public String destination(OutboxEvent event) {
                return "somewhere";
            }

            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                throw new IllegalStateException("not today");
            }
        };
        assertThatThrownBy(() -> TracedPublisher.of(throwing, new SendSpans(() -> Propagator.NOOP))
                        .publish(TRACED, "somewhere"))
                .hasMessage("not today");
    }
}
