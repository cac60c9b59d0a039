package dev.postrider.spring.autoconfigure;

import dev.postrider.CurrentTransaction;
import dev.postrider.Inbox;
import dev.postrider.NamedLocks;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.internal.spring.inbox.Inboxes;
import dev.postrider.internal.spring.inbox.MarksPurge;
import dev.postrider.internal.spring.relay.InboxTables;
import dev.postrider.internal.spring.settings.OptionProperties;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What consumers and handlers of requests use, in the caller's transaction. Made if a bean of the application wants it, since
 * applications that only write need no such tables, and may have tables of that name.
 */
@AutoConfiguration(after = PostriderAutoConfiguration.class)
@ConditionalOnBean(value = OutboxDataSource.class, search = SearchStrategy.CURRENT)
@Lazy
public final class InboxAutoConfiguration {
    InboxAutoConfiguration() {}

    @Bean
    @DependsOnDatabaseInitialization
    InboxTables postriderInboxTables(OutboxDataSource dataSource, PostriderProperties properties) {
        return new InboxTables(
                dataSource.direct(),
                OutboxTable.parse(properties.inbox().table()),
                properties.schema().initialize() == PostriderProperties.Initialize.ALWAYS);
    }

    @Bean
    @ConditionalOnMissingBean
    Inbox postriderInbox(
            InboxTables tables,
            CurrentTransaction transaction,
            PostriderProperties properties,
            Environment environment) {
        return Inbox.of(consumer(properties, environment), tables.table()).with(transaction);
    }

    static String consumer(PostriderProperties properties, Environment environment) {
        String consumer = properties.inbox().consumer();
        String name = StringUtils.hasText(consumer) ? consumer : environment.getProperty("spring.application.name");
        if (name == null || !StringUtils.hasText(name)) {
            throw new PostriderStartException(
                    "The inbox has no name for its consumer, which keeps its marks apart from those of others.",
                    "Set postrider.inbox.consumer, or spring.application.name.");
        }
        return name;
    }

    @Bean
    Inboxes postriderInboxes(Inbox inbox, InboxTables tables, CurrentTransaction transaction) {
        return new Inboxes(inbox, tables.table(), transaction);
    }

    @Bean
    @Lazy(false)
    @ConditionalOnProperty("postrider.inbox.retention")
    MarksPurge postriderMarksPurge(
            Inboxes inboxes,
            OutboxDataSource dataSource,
            OutboxAdmin admin,
            PostriderProperties properties,
            OptionProperties options,
            ObjectProvider<HousekeepingSettings> housekeeping) {
        Duration age = properties.inbox().retention();
        if (age == null || age.isNegative() || age.isZero()) {
            throw new PostriderStartException(
                    "postrider.inbox.retention is " + (age == null ? "empty" : age) + ", and must be positive.",
                    "Set it to longer than topics keep events.");
        }
        return new MarksPurge(
                inboxes::all,
                dataSource.direct(),
                admin::databaseTime,
                age,
                housekeeping
                        .getIfAvailable(() -> options.make(HousekeepingSettings::of))
                        .schedule());
    }

    @Bean
    @ConditionalOnMissingBean
    NamedLocks postriderNamedLocks(InboxTables tables, CurrentTransaction transaction) {
        return NamedLocks.create(tables.table()).with(transaction);
    }
}
