package dev.postrider.bench.contender.modulith;

import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.Place;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;

/** What Spring Modulith's starter for JDBC configures of events, and its externalization to Kafka. */
@Configuration(proxyBeanMethods = false)
@Import(ModulithBeans.Registry.class)
class ModulithBeans {

    @Bean
    EventExternalizationConfiguration eventExternalizationConfiguration(Place place) {
        return EventExternalizationConfiguration.externalizing()
                .select(event -> event instanceof BenchEvent)
                .mapping(BenchEvent.class, BenchEvent::document)
                .route(
                        BenchEvent.class,
                        event -> RoutingTarget.forTarget(place.topic()).andKey(event.key()))
                .build();
    }

    @Bean
    EventExternalizerModuleListener kafkaEventExternalizer(
            EventExternalizationConfiguration configuration, KafkaOperations<String, String> kafka) {
        return new EventExternalizerModuleListener(configuration, new KafkaTransport(configuration, kafka));
    }

    @Bean
    InFlight inFlight() {
        return new InFlight();
    }

    /** Modulith's configurations in the order in which they build on each other; some cannot be named in code. */
    static final class Registry implements DeferredImportSelector {
        @Override
        public String[] selectImports(AnnotationMetadata importer) {
            return new String[] {
                "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
                "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
                "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
                "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration"
            };
        }
    }
}
