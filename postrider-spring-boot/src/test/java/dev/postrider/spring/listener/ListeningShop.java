package dev.postrider.spring.listener;

import dev.postrider.spring.autoconfigure.HandlingTraceAutoConfiguration;
import dev.postrider.spring.autoconfigure.ListenerAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** An application that listens, and has neither a database nor an outbox. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    KafkaAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    OpenTelemetrySdkAutoConfiguration.class,
    OpenTelemetryTracingAutoConfiguration.class,
    MicrometerTracingAutoConfiguration.class,
    HandlingTraceAutoConfiguration.class,
    ListenerAutoConfiguration.class
})
class ListeningShop {

    static SpringApplicationBuilder on(EventsTopic topic, Class<?>... beans) {
        return new SpringApplicationBuilder(ListeningShop.class)
                .sources(beans)
                .web(WebApplicationType.NONE)
                .properties("spring.application.name=shop")
                .properties(topic.properties());
    }
}
