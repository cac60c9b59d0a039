package dev.postrider.bench.contender.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.bench.contender.Place;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** What an application of Spring Boot would have anyway: a pool, transactions, executors, a sender to Kafka. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement(proxyTargetClass = true)
@ImportAutoConfiguration({TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class})
class PeerBeans {

    @Bean
    HikariDataSource dataSource(Place place, PeerSettings settings) {
        return place.pool(settings.connections());
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }

    @Bean
    TransactionTemplate transactionTemplate(PlatformTransactionManager transactionManager) {
        return new TransactionTemplate(transactionManager);
    }

    @Bean
    JdbcTemplate jdbcTemplate(DataSource dataSource) {
        return new JdbcTemplate(dataSource);
    }

    @Bean
    ProducerFactory<String, String> producerFactory(Place place, PeerSettings settings) {
        Map<String, Object> producer = settings.producer();
        producer.put("bootstrap.servers", place.bootstrapServers());
        producer.put("key.serializer", StringSerializer.class);
        producer.put("value.serializer", StringSerializer.class);
        return new DefaultKafkaProducerFactory<>(producer);
    }

    @Bean
    KafkaTemplate<String, String> kafkaTemplate(ProducerFactory<String, String> producerFactory) {
        return new KafkaTemplate<>(producerFactory);
    }
}
