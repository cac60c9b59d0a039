package dev.postrider.spring.autoconfigure;

import dev.postrider.OutboxAdmin;
import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
import dev.postrider.internal.spring.endpoint.Replays;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;

/** The endpoints {@code postrider}, {@code postriderdeadletters} and {@code postriderrelay}, each if it is exposed. */
@AutoConfiguration(after = {PostriderAutoConfiguration.class, RelayAutoConfiguration.class})
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
public final class EndpointsAutoConfiguration {
    EndpointsAutoConfiguration() {}

    @Bean
    @ConditionalOnAvailableEndpoint
    OutboxEndpoint postriderEndpoint(OutboxAdmin admin, OutboxTables tables, ObjectProvider<RelayLifecycle> relay) {
        return new OutboxEndpoint(admin, tables.table(), relay.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    RelayEndpoint postriderRelayEndpoint(OutboxAdmin admin, ObjectProvider<RelayLifecycle> relay) {
        return new RelayEndpoint(admin, relay.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    DeadLettersEndpoint postriderDeadLettersEndpoint(
            OutboxAdmin admin, ObjectProvider<RelayDestination> destination, PostriderProperties properties) {
        return new DeadLettersEndpoint(
                admin,
                new Replays(destination.getIfAvailable()),
                properties.endpoints().showPayloads() == PostriderProperties.ShowPayloads.ALWAYS);
    }
}
