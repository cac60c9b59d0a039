package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.event.ContextHeaders;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.tracing.SendSpans;
import dev.postrider.internal.spring.tracing.TracedDestinations;
import dev.postrider.internal.spring.tracing.WriterTrace;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** With Micrometer Tracing: events carry the trace that they are written in, and each send of one is a span of it. */
@AutoConfiguration(
        after = PostriderAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass({Tracer.class, Propagator.class})
@ConditionalOnBean(value = {OutboxTables.class, Tracer.class, Propagator.class})
public final class TracingAutoConfiguration {
    TracingAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ContextHeaders postriderWriterTrace(Tracer tracer, Propagator propagator) {
        return new WriterTrace(tracer, propagator);
    }

    /** Static and late, so that it makes no bean before its time. */
    @Bean
    static TracedDestinations postriderTracedDestinations(ObjectProvider<Propagator> propagator) {
        return new TracedDestinations(new SendSpans(propagator::getIfUnique));
    }
}
