package dev.postrider.spring.autoconfigure;

import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.Replication;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.handler.HandlerMethods;
import dev.postrider.internal.spring.relay.CommitSignal;
import dev.postrider.internal.spring.relay.ContentIntegrity;
import dev.postrider.internal.spring.relay.HikariConnections;
import dev.postrider.internal.spring.relay.NotifierLifecycle;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.RelayAlerts;
import dev.postrider.internal.spring.relay.RelayAssembly;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.relay.SharedConnections;
import dev.postrider.internal.spring.settings.OptionProperties;
import dev.postrider.internal.spring.settings.OutboxBinder;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.RelayCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The relay in the application; or, where that only writes, what tells relays in other processes of its commits. */
@AutoConfiguration(
        after = {PostriderAutoConfiguration.class, DestinationAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
@Import(FurtherRelays.class)
public final class RelayAutoConfiguration {
    static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    RelayAutoConfiguration() {}

    /** Also where no relay delivers to them: then there must be none. */
    @Bean
    @Conditional(OnAnyRelay.class)
    HandlerMethods postriderHandlerMethods(
            ConfigurableListableBeanFactory beans, PostriderProperties properties, Environment environment) {
        Map<String, Boolean> outboxes = new HashMap<>();
        if (properties.relay().destination() == PostriderProperties.Destination.HANDLERS
                && OutboxBeans.unqualified(beans, Publisher.class).isEmpty()) {
            outboxes.put(HandlerMethods.MAIN, properties.relay().enabled());
        }
        for (String name : OutboxBinder.names(environment)) {
            PostriderProperties.Relay relay =
                    FurtherOutboxes.properties(environment, name).relay();
            if (relay.destination() == PostriderProperties.Destination.HANDLERS
                    && OutboxBeans.of(name, beans, Publisher.class).isEmpty()) {
                outboxes.put(name, relay.enabled());
            }
        }
        return new HandlerMethods(beans, outboxes);
    }

    /** Matches if this process delivers the events of an outbox. */
    static final class OnAnyRelay extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            boolean any = environment.getProperty("postrider.relay.enabled", Boolean.class, true)
                    || OutboxBinder.names(environment).stream()
                            .anyMatch(name -> FurtherOutboxes.properties(environment, name)
                                    .relay()
                                    .enabled());
            return new ConditionOutcome(any, any ? "there is a relay" : "there is no relay");
        }
    }

    /** In an application that delivers events. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "postrider.relay.enabled", matchIfMissing = true)
    static class Delivering {

        @Bean
        @ConditionalOnMissingBean
        RelaySettings postriderRelaySettings(OptionProperties options) {
            return options.make(RelaySettings::of);
        }

        @Bean
        @ConditionalOnMissingBean
        HousekeepingSettings postriderHousekeepingSettings(OptionProperties options) {
            return options.make(HousekeepingSettings::of);
        }

        @Bean
        @ConditionalOnMissingBean
        AlertRules postriderAlertRules(OptionProperties options) {
            return options.make(AlertRules::of);
        }

        /** Channels of the application's own come beside those of properties. It is the context that closes them. */
        @Bean
        RelayAlerts postriderAlerts(
                AlertRules rules,
                RelaySettings settings,
                OptionProperties options,
                ObjectProvider<AlertChannel> channels) {
            return alerts(rules, settings, options, channels);
        }

        @Bean
        RelayAssembly postriderRelayAssembly(
                RelaySettings settings,
                HousekeepingSettings housekeeping,
                RelayAlerts alerts,
                ContentIntegrity integrity,
                ObjectProvider<RelayListener> listeners,
                ObjectProvider<RelayCustomizer> customizers,
                ObjectProvider<Replication> replication,
                ObjectProvider<JdbcConnectionDetails> details,
                PostriderProperties properties) {
            Replication own = replication.getIfUnique();
            return new RelayAssembly(
                    settings,
                    housekeeping,
                    alerts,
                    integrity,
                    RelayListener.all(listeners.orderedStream().toList()),
                    customizers.orderedStream().toList(),
                    own != null ? own : replication(properties.relay().replication(), details));
        }

        @Bean
        RelayLifecycle postriderRelay(
                RelayConnections connections,
                ObjectProvider<RelayDestination> destination,
                OutboxTables tables,
                RelayAssembly assembly,
                CommitSignal signal,
                PostriderProperties properties) {
            return new RelayLifecycle(
                    connections,
                    destination.getIfAvailable(() -> {
                        throw noDestination(properties.relay().destination());
                    }),
                    tables,
                    assembly,
                    signal);
        }
    }

    /** Null if no role is set. */
    static @Nullable Replication replication(
            PostriderProperties.ReplicationRole role, ObjectProvider<JdbcConnectionDetails> details) {
        String user = role.user();
        if (user == null) {
            return null;
        }
        String url = role.url();
        if (url == null) {
            JdbcConnectionDetails known = details.getIfUnique();
            if (known == null) {
                throw new PostriderStartException(
                        "postrider.relay.replication.user is set, and it is not known where that role connects to.",
                        "Set postrider.relay.replication.url to the JDBC URL of the outbox's database.");
            }
            url = known.getJdbcUrl();
        }
        return Replication.to(url, user, role.password());
    }

    static RelayAlerts alerts(
            AlertRules rules, RelaySettings settings, OptionProperties options, ObjectProvider<AlertChannel> channels) {
        return new RelayAlerts(rules, () -> {
            List<AlertChannel> all = new ArrayList<>(options.make(values -> AlertChannels.of(values, settings.name())));
            channels.orderedStream().forEach(channel -> all.add(channel::send));
            return all;
        });
    }

    static PostriderStartException noDestination(PostriderProperties.@Nullable Destination chosen) {
        return chosen == null
                ? new PostriderStartException(
                        "Postrider's relay has no destination.",
                        "Set postrider.relay.destination to kafka, webhook, handlers or log, or declare a bean of the type Publisher. An"
                                + " application that only writes events sets postrider.relay.enabled=false.")
                : new PostriderStartException(
                        "postrider.relay.destination is " + chosen.name().toLowerCase(Locale.ROOT)
                                + ", and what it takes is not on the class path.",
                        "Add dev.postrider:postrider-kafka and org.springframework.boot:spring-boot-starter-kafka, or use"
                                + " dev.postrider:postrider-spring-boot-starter, which has both.");
    }

    /** In an application that writes only. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "postrider.relay.enabled", havingValue = false)
    static class WritingOnly {

        @Bean
        NotifierLifecycle postriderNotifier(RelayConnections connections, OutboxTables tables, CommitSignal signal) {
            return new NotifierLifecycle(connections, tables.table(), signal);
        }
    }

    /** With HikariCP: a pool of its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = HIKARI)
    static class OwnPool {

        @Bean
        @ConditionalOnMissingBean
        RelayConnections postriderConnections(
                OutboxDataSource dataSource,
                ObjectProvider<JdbcConnectionDetails> details,
                ObjectProvider<DataSourcePoolMetadataProvider> pools) {
            return connections(dataSource, details, pools);
        }

        static RelayConnections connections(
                OutboxDataSource dataSource,
                ObjectProvider<JdbcConnectionDetails> details,
                ObjectProvider<DataSourcePoolMetadataProvider> pools) {
            return new HikariConnections(
                    dataSource,
                    details.getIfUnique(),
                    new SharedConnections(dataSource, pools.orderedStream().toList()));
        }
    }

    /** Without it: connections of the application's pool. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(HIKARI)
    static class ApplicationsPool {

        @Bean
        @ConditionalOnMissingBean
        RelayConnections postriderConnections(
                OutboxDataSource dataSource, ObjectProvider<DataSourcePoolMetadataProvider> pools) {
            return new SharedConnections(dataSource, pools.orderedStream().toList());
        }
    }

    /** With Micrometer: the relay's meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnBooleanProperty(name = "postrider.relay.enabled", matchIfMissing = true)
    static class Meters {

        @Bean
        @ConditionalOnMissingBean
        RelayMetrics postriderRelayMetrics(MeterRegistry registry, OutboxTables tables) {
            OutboxTable table = tables.table();
            return new RelayMetrics(registry, table.toString());
        }
    }
}
