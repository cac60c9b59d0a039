package dev.postrider.spring.autoconfigure;

import dev.postrider.internal.spring.health.BlockedDestinations;
import dev.postrider.internal.spring.health.OutboxHealth;
import dev.postrider.internal.spring.health.OutboxLook;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health {@code postrider}. */
@AutoConfiguration(after = {PostriderAutoConfiguration.class, RelayAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
public final class HealthAutoConfiguration {
    HealthAutoConfiguration() {}

    @Bean
    @ConditionalOnEnabledHealthIndicator("postrider")
    @ConditionalOnBooleanProperty(name = "postrider.relay.enabled", matchIfMissing = true)
    BlockedDestinations postriderBlockedDestinations() {
        return new BlockedDestinations();
    }

    @Bean
    @ConditionalOnEnabledHealthIndicator("postrider")
    @ConditionalOnMissingBean(name = "postriderHealthIndicator")
    HealthContributor postriderHealthIndicator(
            OutboxDataSource dataSource,
            OutboxTables tables,
            ObjectProvider<RelayLifecycle> relay,
            ObjectProvider<BlockedDestinations> blocked,
            ObjectProvider<OutboxParts> further) {
        OutboxHealth main = new OutboxHealth(
                new OutboxLook(dataSource.direct(), tables.table()), relay.getIfAvailable(), blocked.getIfAvailable());
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        all.put(FurtherOutboxes.MAIN, main);
        further.orderedStream()
                .forEach(outbox -> all.put(
                        outbox.name(),
                        new OutboxHealth(
                                new OutboxLook(
                                        outbox.dataSource().direct(),
                                        outbox.tables().table()),
                                outbox.relay(),
                                outbox.blocked())));
        return all.size() == 1 ? main : CompositeHealthContributor.fromMap(all);
    }
}
