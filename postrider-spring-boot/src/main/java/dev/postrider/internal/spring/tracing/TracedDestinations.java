package dev.postrider.internal.spring.tracing;

import dev.postrider.internal.spring.relay.RelayDestination;
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
            RelayDestination traced = () -> TracedPublisher.of(destination.publisher(), spans);
            return traced;
        }
        return bean;
    }
}
