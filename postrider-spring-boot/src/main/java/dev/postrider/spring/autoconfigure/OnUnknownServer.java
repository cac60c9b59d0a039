package dev.postrider.spring.autoconfigure;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/** Matches if no property says where a server is. An empty one says nothing. */
abstract class OnUnknownServer extends SpringBootCondition {
    /** Of {@code spring.datasource.embedded-database-connection}. */
    private static final String NONE = "none";

    private final List<String> properties;

    private OnUnknownServer(String... properties) {
        this.properties = List.of(properties);
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Unknown server");
        Binder binder = Binder.get(context.getEnvironment());
        for (String property : properties) {
            // As a list, since several servers may be written as one.
            boolean set = binder.bind(property, Bindable.listOf(String.class)).orElse(List.of()).stream()
                    .anyMatch(value -> StringUtils.hasText(value) && !value.equalsIgnoreCase(NONE));
            if (set) {
                return ConditionOutcome.noMatch(message.because(property + " is set"));
            }
        }
        return ConditionOutcome.match(message.because("none of " + properties + " is set"));
    }

    /** The database: also one in memory that was asked for. */
    static final class Database extends OnUnknownServer {
        Database() {
            super(
                    "spring.datasource.url",
                    "spring.datasource.jndi-name",
                    "spring.datasource.hikari.jdbc-url",
                    "spring.datasource.hikari.data-source-class-name",
                    "spring.datasource.tomcat.url",
                    "spring.datasource.dbcp2.url",
                    "spring.datasource.embedded-database-connection");
        }
    }

    /** The broker. */
    static final class Kafka extends OnUnknownServer {
        Kafka() {
            super(
                    "spring.kafka.bootstrap-servers",
                    "spring.kafka.producer.bootstrap-servers",
                    "spring.kafka.consumer.bootstrap-servers",
                    "spring.kafka.admin.bootstrap-servers",
                    "spring.kafka.streams.bootstrap-servers");
        }
    }
}
