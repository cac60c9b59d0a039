package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.event.HandlingScope;
import dev.postrider.internal.spring.tracing.HandlingSpans;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** With Micrometer Tracing: whoever handles an event is in the trace that it was written in. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass({Tracer.class, Propagator.class})
@ConditionalOnBean({Tracer.class, Propagator.class})
public final class HandlingTraceAutoConfiguration {
    HandlingTraceAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    HandlingScope postriderHandlingScope(Tracer tracer, Propagator propagator) {
        return new HandlingSpans(tracer, propagator);
    }
}
