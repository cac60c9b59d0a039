package dev.postrider.internal.spring.tracing;

import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.publish.Publisher;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Lets the publishers of every destination be traced, whoever has declared it. */
public final class TracedDestinations implements BeanPostProcessor {
    private final SendSpans spans;

    public TracedDestinations(SendSpans spans) {
        this.spans = spans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof RelayDestination destination) {
            return new Traced(destination, spans);
        }
        return bean;
    }

    private record Traced(RelayDestination destination, SendSpans spans) implements RelayDestination {
        @Override
        public Publisher publisher() {
            return TracedPublisher.of(destination.publisher(), spans);
        }

        @Override
        public boolean isRepeatable() {
            return destination.isRepeatable();
        }
    }
}
