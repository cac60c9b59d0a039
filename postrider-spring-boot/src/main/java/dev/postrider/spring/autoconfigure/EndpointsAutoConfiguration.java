package dev.postrider.spring.autoconfigure;

import dev.postrider.OutboxAdmin;
import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OperatedOutbox;
import dev.postrider.internal.spring.endpoint.OperatedOutboxes;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
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
import org.springframework.context.annotation.Lazy;

/** The endpoints {@code postrider}, {@code postriderdeadletters} and {@code postriderrelay}, each if it is exposed. */
@AutoConfiguration(after = {PostriderAutoConfiguration.class, RelayAutoConfiguration.class})
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(value = OutboxTables.class, search = SearchStrategy.CURRENT)
public final class EndpointsAutoConfiguration {
    EndpointsAutoConfiguration() {}

    @Bean
    @Lazy
    OperatedOutboxes postriderOperatedOutboxes(
            OutboxAdmin admin,
            OutboxTables tables,
            ObjectProvider<RelayLifecycle> relay,
            ObjectProvider<RelayDestination> destination,
            ObjectProvider<OutboxParts> further) {
        return new OperatedOutboxes(
                new OperatedOutbox(
                        FurtherOutboxes.MAIN,
                        admin,
                        tables.table(),
                        relay.getIfAvailable(),
                        destination.getIfAvailable()),
                further.orderedStream()
                        .map(outbox -> new OperatedOutbox(
                                outbox.name(),
                                outbox.admin(),
                                outbox.tables().table(),
                                outbox.relay(),
                                outbox.destination()))
                        .toList());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    OutboxEndpoint postriderEndpoint(OperatedOutboxes outboxes) {
        return new OutboxEndpoint(outboxes);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    RelayEndpoint postriderRelayEndpoint(OperatedOutboxes outboxes) {
        return new RelayEndpoint(outboxes);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    DeadLettersEndpoint postriderDeadLettersEndpoint(OperatedOutboxes outboxes, PostriderProperties properties) {
        return new DeadLettersEndpoint(
                outboxes, properties.endpoints().showPayloads() == PostriderProperties.ShowPayloads.ALWAYS);
    }
}
