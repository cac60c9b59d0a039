package dev.postrider.spring.autoconfigure;

import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.webhook.AlertChannels;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.failure.PostriderStartException;
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
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.metrics.RelayMetrics;
import dev.postrider.spring.RelayCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The relay in the application; or, where that only writes, what tells relays in other processes of its commits. */
@AutoConfiguration(
        after = {PostriderAutoConfiguration.class, DestinationAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
public final class RelayAutoConfiguration {
    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    RelayAutoConfiguration() {}

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
            return new RelayAlerts(rules, () -> {
                List<AlertChannel> all =
                        new ArrayList<>(options.make(values -> AlertChannels.of(values, settings.name())));
                channels.orderedStream().forEach(channel -> all.add(channel::send));
                return all;
            });
        }

        @Bean
        RelayAssembly postriderRelayAssembly(
                RelaySettings settings,
                HousekeepingSettings housekeeping,
                RelayAlerts alerts,
                ContentIntegrity integrity,
                ObjectProvider<RelayListener> listeners,
                ObjectProvider<RelayCustomizer> customizers) {
            return new RelayAssembly(
                    settings,
                    housekeeping,
                    alerts,
                    integrity,
                    RelayListener.all(listeners.orderedStream().toList()),
                    customizers.orderedStream().toList());
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

        private static PostriderStartException noDestination(PostriderProperties.@Nullable Destination chosen) {
            return chosen == null
                    ? new PostriderStartException(
                            "Postrider's relay has no destination.",
                            "Set postrider.relay.destination to kafka, webhook, handlers or log, or declare a bean of the type Publisher. An"
                                    + " application that only writes events sets postrider.relay.enabled=false.")
                    : new PostriderStartException(
                            "postrider.relay.destination is " + chosen.name().toLowerCase(java.util.Locale.ROOT)
                                    + ", and what it takes is not on the class path.",
                            "Add dev.postrider:postrider-kafka and org.springframework.boot:spring-boot-starter-kafka, or use"
                                    + " dev.postrider:postrider-spring-boot-starter, which has both.");
        }
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
