package dev.postrider.bench.contender.namastack;

import dev.postrider.bench.contender.Place;
import io.namastack.outbox.OutboxJacksonAutoConfiguration;
import io.namastack.outbox.config.JdbcOutboxAutoConfiguration;
import io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration;
import io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.scheduling.annotation.EnableScheduling;

/** What namastack's starter for JDBC configures, without the polling. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@ImportAutoConfiguration({
    JdbcOutboxAutoConfiguration.class,
    JdbcOutboxSchemaAutoConfiguration.class,
    OutboxJacksonAutoConfiguration.class,
    OutboxCoreInfrastructureAutoConfiguration.class,
    OutboxCoreThreadingAutoConfiguration.class,
    OutboxCoreProcessingAutoConfiguration.class
})
class NamastackBeans {

    @Bean
    KafkaHandler kafkaHandler(KafkaOperations<String, String> kafka, Place place) {
        return new KafkaHandler(kafka, place.topic());
    }
}
