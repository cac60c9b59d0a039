package dev.postrider.spring.autoconfigure;

import dev.postrider.CurrentTransaction;
import dev.postrider.Inbox;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.Replication;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.event.ContextHeaders;
import dev.postrider.internal.spring.event.MappedEvents;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.health.BlockedDestinations;
import dev.postrider.internal.spring.inbox.MarksPurge;
import dev.postrider.internal.spring.relay.CommitSignal;
import dev.postrider.internal.spring.relay.ContentIntegrity;
import dev.postrider.internal.spring.relay.InboxTables;
import dev.postrider.internal.spring.relay.NoOutboxHere;
import dev.postrider.internal.spring.relay.NotifierLifecycle;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.OwnPublisher;
import dev.postrider.internal.spring.relay.RelayAssembly;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.relay.SharedConnections;
import dev.postrider.internal.spring.settings.OptionProperties;
import dev.postrider.internal.spring.settings.OutboxBinder;
import dev.postrider.internal.spring.transaction.BegunTransactions;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.internal.spring.transaction.SpringTransaction;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.spring.RelayCustomizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * A further outbox, and what its beans are made of: the same as the main one's, of other properties. Made after whatever else makes
 * tables, as those of the main one are.
 */
@DependsOnDatabaseInitialization
final class OutboxParts {
    private final String name;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final PostriderProperties properties;
    private final OptionProperties options;
    private final ContentIntegrity integrity;
    private final OutboxDataSource dataSource;
    private final OutboxTables tables;
    private final CurrentTransaction transaction;
    private final CommitSignal signal = new CommitSignal();
    private final BlockedDestinations blocked = new BlockedDestinations();

    /** Of the handlers; null as long as none of them wants it. */
    private volatile @Nullable Inbox inbox;

    private OutboxParts(
            String name,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            OutboxDataSource dataSource,
            String table) {
        this.name = name;
        this.beans = beans;
        this.environment = environment;
        this.properties = FurtherOutboxes.properties(environment, name);
        this.options = OptionProperties.read(environment, name);
        this.integrity = ContentIntegrity.read(options.make(IntegritySettings::of));
        this.dataSource = dataSource;
        this.tables = PostriderAutoConfiguration.tables(
                dataSource, table, properties.schema(), beans.getBeanProvider(NoOutboxHere.class));
        this.transaction = new SpringTransaction(dataSource, beans.getBean(BegunTransactions.class), beans);
    }

    /**
     * @throws PostriderStartException if it is set up wrongly, or its tables cannot be used
     */
    static OutboxParts of(String name, ConfigurableListableBeanFactory beans, Environment environment) {
        // First what is wrong with any property at all.
        beans.getBean(OptionProperties.class);
        PostriderProperties all = beans.getBean(PostriderProperties.class);
        OutboxDataSource main = beans.getBean(OutboxDataSource.class);
        PostriderProperties.FurtherOutbox own = FurtherOutboxes.own(environment, name);
        refuseSameTable(name, OutboxTable.parse(all.table()), main.name(), environment);
        refuseAmbiguous(name, beans);
        OutboxParts parts = new OutboxParts(
                name,
                beans,
                environment,
                own.dataSource() == null
                        ? main
                        : OutboxDataSource.find(beans, own.dataSource(), property(name, "data-source")),
                own.table());
        parts.tables.afterPropertiesSet();
        return parts;
    }

    private static String property(String outbox, String key) {
        return "postrider.outboxes." + outbox + "." + key;
    }

    /** Two relays of one table would each deliver to a destination of their own. */
    private static void refuseSameTable(
            String name, OutboxTable mainTable, String mainDataSource, Environment environment) {
        if (name.equals(mainTable.toString())) {
            throw new PostriderStartException(
                    "The outbox '" + name
                            + "' has the name of the main outbox's table, which stands for that one in meters.",
                    "Give it another name.");
        }
        Place own = Place.of(name, mainDataSource, environment);
        String other = own.equals(new Place(mainDataSource, mainTable)) ? FurtherOutboxes.MAIN : null;
        for (String each : OutboxBinder.names(environment)) {
            if (!each.equals(name) && own.equals(Place.of(each, mainDataSource, environment))) {
                other = each;
            }
        }
        if (other != null) {
            throw new PostriderStartException(
                    "The outbox '" + name + "' has the table " + own.table() + " of data source '" + own.dataSource()
                            + "', as the outbox '" + other + "' has.",
                    "Set " + property(name, "table") + " or " + property(name, "data-source") + " to another one.");
        }
    }

    private record Place(String dataSource, OutboxTable table) {
        static Place of(String name, String mainDataSource, Environment environment) {
            PostriderProperties.FurtherOutbox own = FurtherOutboxes.own(environment, name);
            return new Place(
                    own.dataSource() == null ? mainDataSource : own.dataSource(), OutboxTable.parse(own.table()));
        }
    }

    /** Such a bean would be the main outbox's too. */
    private static void refuseAmbiguous(String name, ConfigurableListableBeanFactory beans) {
        for (Class<?> type : List.of(Publisher.class, TopicRouting.class)) {
            for (String bean : OutboxBeans.of(name, beans, type)) {
                if (OutboxBeans.isDefaultCandidate(beans, bean)) {
                    throw new PostriderStartException(
                            "The bean '" + bean + "' of the type " + type.getSimpleName() + " is that of the outbox '"
                                    + name + "', and the main outbox would use it too.",
                            "Declare it with @Bean(defaultCandidate = false).");
                }
            }
        }
    }

    // ---- names of beans

    static String bean(String outbox) {
        return "postriderOutboxParts-" + outbox;
    }

    static String adminBean(String outbox) {
        return "postriderAdmin-" + outbox;
    }

    static String relayBean(String outbox) {
        return "postriderRelay-" + outbox;
    }

    static String destinationBean(String outbox) {
        return "postriderDestination-" + outbox;
    }

    // ---- what others show

    String name() {
        return name;
    }

    OutboxDataSource dataSource() {
        return dataSource;
    }

    OutboxTables tables() {
        return tables;
    }

    BlockedDestinations blocked() {
        return blocked;
    }

    OutboxAdmin admin() {
        return beans.getBean(adminBean(name), OutboxAdmin.class);
    }

    /** Null if this process only writes. */
    @Nullable
    RelayLifecycle relay() {
        return beans.containsBean(relayBean(name)) ? beans.getBean(relayBean(name), RelayLifecycle.class) : null;
    }

    /** The same. */
    @Nullable
    RelayDestination destination() {
        return beans.containsBean(destinationBean(name))
                ? beans.getBean(destinationBean(name), RelayDestination.class)
                : null;
    }

    // ---- beans

    Outbox outbox() {
        return PostriderAutoConfiguration.outbox(
                tables,
                beans.getBean(MappedEvents.class),
                transaction,
                signal,
                integrity,
                routing(),
                beans.getBeanProvider(ContextHeaders.class).getIfAvailable(),
                environment.getProperty("spring.application.name"));
    }

    /** Null if destinations are no topics. */
    private @Nullable TopicRouting routing() {
        TopicRouting own = qualified(TopicRouting.class).findFirst().orElse(null);
        if (own != null) {
            return own;
        }
        return properties.relay().destination() == PostriderProperties.Destination.KAFKA
                        && OutboxBeans.of(name, beans, Publisher.class).isEmpty()
                ? PostriderAutoConfiguration.routing(properties.kafka())
                : null;
    }

    OutboxAdmin newAdmin() {
        return PostriderAutoConfiguration.admin(dataSource, tables, integrity, options.make(RelaySettings::of));
    }

    NotifierLifecycle newNotifier() {
        return new NotifierLifecycle(connections(), tables.table(), signal);
    }

    RelayLifecycle newRelay() {
        RelaySettings settings = options.make(RelaySettings::of);
        List<RelayListener> listeners =
                new ArrayList<>(qualified(RelayListener.class).toList());
        listeners.add(blocked);
        return new RelayLifecycle(
                connections(),
                Objects.requireNonNull(destination()),
                tables,
                new RelayAssembly(
                        settings,
                        options.make(HousekeepingSettings::of),
                        RelayAutoConfiguration.alerts(
                                options.make(AlertRules::of),
                                settings,
                                options,
                                beans.getBeanProvider(AlertChannel.class)),
                        integrity,
                        RelayListener.all(listeners),
                        qualified(RelayCustomizer.class).toList(),
                        replication()),
                signal);
    }

    private @Nullable Replication replication() {
        Replication own = qualified(Replication.class).findFirst().orElse(null);
        return own != null
                ? own
                : RelayAutoConfiguration.replication(
                        properties.relay().replication(), beans.getBeanProvider(JdbcConnectionDetails.class));
    }

    private RelayConnections connections() {
        return ClassUtils.isPresent(RelayAutoConfiguration.HIKARI, beans.getBeanClassLoader())
                ? RelayAutoConfiguration.OwnPool.connections(
                        dataSource,
                        beans.getBeanProvider(JdbcConnectionDetails.class),
                        beans.getBeanProvider(DataSourcePoolMetadataProvider.class))
                : new SharedConnections(
                        dataSource,
                        beans.getBeanProvider(DataSourcePoolMetadataProvider.class)
                                .orderedStream()
                                .toList());
    }

    RelayDestination newDestination() {
        List<String> own = OutboxBeans.of(name, beans, Publisher.class);
        if (own.size() > 1) {
            throw new PostriderStartException(
                    "The outbox '" + name + "' has several beans of the type Publisher: " + String.join(", ", own)
                            + ".",
                    "Keep one of them: an outbox has one destination.");
        }
        if (!own.isEmpty()) {
            String bean = own.get(0);
            return new OwnPublisher(() -> beans.getBean(bean, Publisher.class), !beans.isSingleton(bean));
        }
        PostriderProperties.Destination chosen = properties.relay().destination();
        if (chosen == null) {
            throw new PostriderStartException(
                    "The relay of the outbox '" + name + "' has no destination.",
                    "Set " + property(name, "relay.destination")
                            + " to kafka, webhook, handlers or log, or declare a bean of the type Publisher with"
                            + " @Qualifier(\"" + name + "\"). Where only writing is wanted, set "
                            + property(name, "relay.enabled") + "=false.");
        }
        return switch (chosen) {
            case KAFKA -> kafka();
            case WEBHOOK -> DestinationAutoConfiguration.ToWebhooks.destination(properties.webhook());
            case HANDLERS ->
                DestinationAutoConfiguration.ToHandlers.destination(name, properties, this::inboxOfHandlers, beans);
            case LOG -> DestinationAutoConfiguration.ToLog.destination(properties.log());
        };
    }

    private RelayDestination kafka() {
        ClassLoader loader = beans.getBeanClassLoader();
        if (!ClassUtils.isPresent("dev.postrider.kafka.KafkaPublisher", loader)
                || !ClassUtils.isPresent(
                        "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails", loader)) {
            throw RelayAutoConfiguration.noDestination(PostriderProperties.Destination.KAFKA);
        }
        return ToKafka.destination(properties.kafka(), Objects.requireNonNull(routing()), beans);
    }

    /** Apart, since Kafka may not be there. */
    private static final class ToKafka {
        static RelayDestination destination(
                PostriderProperties.Kafka kafka, TopicRouting routing, ConfigurableListableBeanFactory beans) {
            return new KafkaDestination(
                    kafka, routing, beans.getBean(KafkaProperties.class), beans.getBean(KafkaConnectionDetails.class));
        }
    }

    /** In the database of this outbox, where its handlers have their data. */
    private synchronized Inbox inboxOfHandlers() {
        Inbox known = inbox;
        if (known != null) {
            return known;
        }
        InboxTables marks = new InboxTables(
                dataSource.direct(),
                OutboxTable.parse(properties.inbox().table()),
                properties.schema().initialize() == PostriderProperties.Initialize.ALWAYS);
        marks.afterPropertiesSet();
        Inbox fresh = Inbox.of(
                        InboxAutoConfiguration.consumer(properties, environment) + "-" + name + "-handlers",
                        marks.table())
                .with(transaction);
        inbox = fresh;
        return fresh;
    }

    MarksPurge newPurge() {
        Duration age = Objects.requireNonNull(properties.inbox().retention());
        return new MarksPurge(
                () -> {
                    Inbox used = inbox;
                    return used == null ? List.of() : List.of(used);
                },
                dataSource.direct(),
                admin()::databaseTime,
                age,
                options.make(HousekeepingSettings::of).schedule());
    }

    private <T> Stream<T> qualified(Class<T> type) {
        return OutboxBeans.of(name, beans, type).stream()
                .map(bean -> beans.getBean(bean, type))
                .sorted(AnnotationAwareOrderComparator.INSTANCE);
    }
}
