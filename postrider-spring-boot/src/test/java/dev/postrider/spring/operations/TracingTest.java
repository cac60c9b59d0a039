package dev.postrider.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.spring.TestDatabase;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** The span of the writer, the span of the send and the header of the record, with OpenTelemetry and a real broker. */
class TracingTest {
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("postrider.outcome");
    private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
            })
    static class Shop {
        @Bean
        SpanProcessor toMemory() {
            return SimpleSpanProcessor.create(SPANS);
        }
    }

    @Test
    void sendIsASpanOfTheWritersTraceAndTheRecordNamesTheWriter() {
        String servers = DevKafka.shared().bootstrapServers();
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(TestDatabase.create()))
                .properties(
                        "spring.kafka.bootstrap-servers=" + servers,
                        "postrider.relay.destination=kafka",
                        "postrider.schema.initialize=always",
                        "postrider.kafka.topic-prefix=traced-",
                        "management.tracing.sampling.probability=1.0")
                .run()) {
            Tracer tracer = shop.getBean(Tracer.class);
            Span writer = tracer.nextSpan().name("place order").start();
            Tracer.SpanInScope scope = tracer.withSpan(writer);
            try {
                write(shop, event("traced"));
                write(
                        shop,
                        event("own").header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
            } finally {
                scope.close();
                writer.end();
            }
            write(shop, event("untraced"));

            Map<String, ConsumerRecord<String, String>> received = receive(servers, 3);
            String trace = writer.context().traceId();
            assertThat(header(received.get("traced"), "traceparent"))
                    .startsWith("00-" + trace + "-" + writer.context().spanId() + "-");
            assertThat(header(received.get("own"), "traceparent")).contains("0af7651916cd43dd8448eb211c80319c");
            assertThat(received.get("untraced").headers().lastHeader("traceparent"))
                    .isNull();

            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(sends()).hasSize(2));
            SpanData send = sends().stream()
                    .filter(span -> span.getTraceId().equals(trace))
                    .findFirst()
                    .orElseThrow();
            assertThat(send.getParentSpanId()).isEqualTo(writer.context().spanId());
            assertThat(send.getAttributes().asMap().toString())
                    .contains("traced-order-events", header(received.get("traced"), "ce_id"));
            assertThat(sends())
                    .extracting(SpanData::getTraceId)
                    .containsExactlyInAnyOrder(trace, "0af7651916cd43dd8448eb211c80319c");
        }
    }

    private static OutboxEvent.Builder event(String id) {
        return OutboxEvent.builder("shop.order.placed").aggregate("order", id).json("{}");
    }

    private static void write(ConfigurableApplicationContext shop, OutboxEvent.Builder event) {
        shop.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> shop.getBean(Outbox.class).write(event.build()));
    }

    /** Those that ended well: the topic may not be there at the first attempt, which has a span too. */
    private static List<SpanData> sends() {
        return SPANS.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals("outbox send"))
                .filter(span -> "accepted".equals(span.getAttributes().get(OUTCOME)))
                .toList();
    }

    private static Map<String, ConsumerRecord<String, String>> receive(String servers, int records) {
        Map<String, ConsumerRecord<String, String>> byKey = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers, "group.id", "traced", "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("traced-order-events"));
            for (int polls = 0; polls < 180 && byKey.size() < records; polls++) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> byKey.put(record.key(), record));
            }
        }
        assertThat(byKey).hasSize(records);
        return byKey;
    }

    private static String header(ConsumerRecord<?, ?> received, String name) {
        return new String(received.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
