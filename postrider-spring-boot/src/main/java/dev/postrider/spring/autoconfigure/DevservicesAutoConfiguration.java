package dev.postrider.spring.autoconfigure;

import dev.postrider.devservices.DevPostgres;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * With {@code postrider-devservices} on the class path: real servers for an application that says of none where it is. What
 * anybody else brings, by a property, a container or a bean, comes before them. A server starts when something asks where it is.
 */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        beforeName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration",
        afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@ConditionalOnClass(DevPostgres.class)
@ConditionalOnBooleanProperty(name = "postrider.devservices.enabled", matchIfMissing = true)
public final class DevservicesAutoConfiguration {
    DevservicesAutoConfiguration() {}

    /** A database. Also where Spring Boot would take one in memory, which could not have an outbox. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OnUnknownServer.Database.class)
    @ConditionalOnMissingBean({JdbcConnectionDetails.class, DataSource.class, XADataSource.class})
    @Import(DevDatabaseRegistrar.class)
    static class Database {}

    /** A Kafka: one for all contexts, and with it its topics. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaConnectionDetails.class)
    @Conditional(OnUnknownServer.Kafka.class)
    @ConditionalOnBooleanProperty(name = "postrider.devservices.kafka", matchIfMissing = true)
    static class Kafka {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(KafkaConnectionDetails.class)
        DevKafkaDetails postriderDevKafka() {
            return DevKafkaDetails.start();
        }
    }
}
