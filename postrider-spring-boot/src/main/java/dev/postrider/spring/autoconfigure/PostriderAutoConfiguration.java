package dev.postrider.spring.autoconfigure;

import dev.postrider.CurrentTransaction;
import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.RelaySettings;
import dev.postrider.internal.spring.event.CapturedEvents;
import dev.postrider.internal.spring.event.ContextHeaders;
import dev.postrider.internal.spring.event.EventCapture;
import dev.postrider.internal.spring.event.EventMappings;
import dev.postrider.internal.spring.event.MappedEvents;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.relay.BoundedConnections;
import dev.postrider.internal.spring.relay.CommitSignal;
import dev.postrider.internal.spring.relay.ContentIntegrity;
import dev.postrider.internal.spring.relay.NoOutboxHere;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.settings.OptionProperties;
import dev.postrider.internal.spring.transaction.BegunTransactions;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.internal.spring.transaction.SpringTransaction;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.settings.IntegritySettings;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * The write side: an {@link Outbox} that joins the caller's transaction, in an application that has a data source. Where a parent
 * context has an outbox, it is that of its children too: they would have a second relay of the same table.
 */
@AutoConfiguration(
        after = DataSourceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@Conditional(OnNoOutboxAbove.class)
@ConditionalOnBooleanProperty(name = "postrider.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PostriderProperties.class)
@Import(FurtherOutboxes.class)
public final class PostriderAutoConfiguration {
    static final String DESTINATION = "postrider.relay.destination";

    private static final Duration OPERATORS_ANSWER = Duration.ofMinutes(1);

    PostriderAutoConfiguration() {}

    /** Static, so that it is there before any transaction manager is. */
    @Bean
    static BegunTransactions postriderBegunTransactions() {
        return new BegunTransactions();
    }

    @Bean
    OptionProperties postriderOptions(Environment environment) {
        return OptionProperties.read(environment, PostriderProperties.class);
    }

    @Bean
    @ConditionalOnMissingBean
    IntegritySettings postriderIntegritySettings(OptionProperties options) {
        return options.make(IntegritySettings::of);
    }

    @Bean
    ContentIntegrity postriderContentIntegrity(IntegritySettings settings) {
        return ContentIntegrity.read(settings);
    }

    /** Known to whoever writes too: what leads to no topic is refused while the data can still be rolled back. */
    @Bean
    @ConditionalOnProperty(name = DESTINATION, havingValue = "kafka")
    @ConditionalOnMissingBean({Publisher.class, TopicRouting.class})
    TopicRouting postriderTopicRouting(PostriderProperties properties) {
        return routing(properties.kafka());
    }

    static TopicRouting routing(PostriderProperties.Kafka kafka) {
        TopicRouting routing = TopicRouting.byConvention().prefix(kafka.topicPrefix());
        for (Map.Entry<String, String> route : kafka.routes().entrySet()) {
            routing = routing.route(route.getKey(), route.getValue());
        }
        return routing;
    }

    @Bean
    OutboxDataSource postriderDataSource(ConfigurableListableBeanFactory beans, PostriderProperties properties) {
        return OutboxDataSource.find(beans, properties.dataSource(), "postrider.data-source");
    }

    /**
     * After whatever else makes tables, so that it neither meets half of them nor is in its way. Whatever is set wrongly is
     * said before.
     */
    @Bean
    @DependsOn({"postriderOptions", "postriderContentIntegrity"})
    @DependsOnDatabaseInitialization
    OutboxTables postriderTables(
            OutboxDataSource dataSource, PostriderProperties properties, ObjectProvider<NoOutboxHere> without) {
        return tables(dataSource, properties.table(), properties.schema(), without);
    }

    static OutboxTables tables(
            OutboxDataSource dataSource,
            String table,
            PostriderProperties.Schema schema,
            ObjectProvider<NoOutboxHere> without) {
        return new OutboxTables(
                dataSource.direct(),
                OutboxTable.parse(table),
                schema.initialize() == PostriderProperties.Initialize.ALWAYS,
                layout(schema),
                without.getIfAvailable(() -> database -> false));
    }

    private static @Nullable OutboxLayout layout(PostriderProperties.Schema schema) {
        Integer shards = schema.shards();
        Delivery delivery = schema.delivery();
        if (schema.mode() == null && shards == null && delivery == null) {
            return null;
        }
        if (schema.mode() == OutboxMode.CLAIM && shards != null) {
            throw new PostriderStartException(
                    "postrider.schema.shards is " + shards
                            + ", but postrider.schema.mode is claim, which has no shards.",
                    "Remove postrider.schema.shards, or set postrider.schema.mode=log.");
        }
        OutboxLayout layout = schema.mode() == OutboxMode.CLAIM
                ? OutboxLayout.claim()
                : OutboxLayout.log(shards == null ? OutboxLayout.DEFAULT.shards() : shards);
        return delivery == null ? layout : layout.delivering(delivery);
    }

    @Bean
    CommitSignal postriderCommitSignal() {
        return new CommitSignal();
    }

    @Bean
    MappedEvents postriderMappedEvents(
            ConfigurableListableBeanFactory beans, Environment environment, ObjectProvider<JsonMapper> json) {
        return EventMappings.find(
                beans,
                environment,
                json.getIfAvailable(() -> JsonMapper.builder().build()));
    }

    @Bean
    @ConditionalOnMissingBean
    CurrentTransaction postriderCurrentTransaction(
            OutboxDataSource dataSource, BegunTransactions transactions, ConfigurableListableBeanFactory beans) {
        return new SpringTransaction(dataSource, transactions, beans);
    }

    @Bean
    @ConditionalOnMissingBean
    Outbox postriderOutbox(
            OutboxTables tables,
            MappedEvents mappings,
            CurrentTransaction transaction,
            CommitSignal signal,
            ContentIntegrity integrity,
            ObjectProvider<TopicRouting> routing,
            ObjectProvider<ContextHeaders> context,
            Environment environment) {
        return outbox(
                tables,
                mappings,
                transaction,
                signal,
                integrity,
                routing.getIfAvailable(),
                context.getIfAvailable(),
                environment.getProperty("spring.application.name"));
    }

    static Outbox outbox(
            OutboxTables tables,
            MappedEvents mappings,
            CurrentTransaction transaction,
            CommitSignal signal,
            ContentIntegrity integrity,
            @Nullable TopicRouting routing,
            @Nullable ContextHeaders context,
            @Nullable String application) {
        Outbox.Builder outbox = Outbox.builder()
                .table(tables.table())
                .mapping(mappings::toEvent)
                .currentTransaction(transaction)
                .afterCommit(signal::committed);
        integrity.protect(outbox);
        if (routing != null) {
            outbox.routing(routing);
        }
        if (context != null) {
            outbox.contextHeaders(context);
        }
        if (StringUtils.hasText(application)) {
            outbox.source(application);
        }
        return outbox.build();
    }

    /** On connections of its own: what operators do is in transactions of its own. They wait for each other for 30 seconds. */
    @Bean
    @ConditionalOnMissingBean
    OutboxAdmin postriderAdmin(
            OutboxDataSource dataSource,
            OutboxTables tables,
            ContentIntegrity integrity,
            OptionProperties options,
            ObjectProvider<RelaySettings> settings) {
        return admin(dataSource, tables, integrity, settings.getIfAvailable(() -> options.make(RelaySettings::of)));
    }

    static OutboxAdmin admin(
            OutboxDataSource dataSource, OutboxTables tables, ContentIntegrity integrity, RelaySettings settings) {
        OutboxAdmin.Builder admin = OutboxAdmin.builder(new BoundedConnections(dataSource.direct(), OPERATORS_ANSWER))
                .table(tables.table())
                .maxEventBytes(settings.batch().maxEventBytes());
        integrity.check(admin);
        return admin.build();
    }

    /** Events of {@code ApplicationEventPublisher} are written too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "postrider.capture-events")
    static class Capturing {

        /** As the context would make it; but as a bean, whose events can be captured. */
        @Bean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)
        @ConditionalOnMissingBean(
                name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
                search = SearchStrategy.CURRENT)
        static SimpleApplicationEventMulticaster postriderEventMulticaster() {
            return new SimpleApplicationEventMulticaster();
        }

        /** Static, so that it is there before the multicaster is. */
        @Bean
        static EventCapture postriderEventCapture(ObjectProvider<CapturedEvents> captured) {
            return new EventCapture(captured);
        }

        @Bean
        CapturedEvents postriderCapturedEvents(
                ObjectProvider<Outbox> outbox,
                MappedEvents mappings,
                BegunTransactions transactions,
                ConfigurableListableBeanFactory beans) {
            return new CapturedEvents(outbox::getObject, mappings, transactions, beans);
        }
    }
}
