package dev.postrider.spring.autoconfigure;

import dev.postrider.RelaySettings;
import dev.postrider.internal.spring.endpoint.DeadLettersEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxEndpoint;
import dev.postrider.internal.spring.endpoint.OutboxTools;
import dev.postrider.internal.spring.endpoint.RelayEndpoint;
import dev.postrider.internal.spring.endpoint.Replays;
import dev.postrider.internal.spring.relay.ContentIntegrity;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.publish.Publisher;
import java.util.Arrays;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The endpoints {@code postrider}, {@code postriderdeadletters} and {@code postriderrelay}, each if it is exposed. */
@AutoConfiguration(after = {PostriderAutoConfiguration.class, RelayAutoConfiguration.class})
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(OutboxTables.class)
public final class EndpointsAutoConfiguration {
    EndpointsAutoConfiguration() {}

    @Bean
    OutboxTools postriderOutboxTools(
            OutboxDataSource dataSource,
            OutboxTables tables,
            ContentIntegrity integrity,
            ObjectProvider<RelaySettings> settings) {
        return OutboxTools.of(dataSource.direct(), tables.table(), integrity, settings.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    OutboxEndpoint postriderEndpoint(OutboxTools tools, ObjectProvider<RelayLifecycle> relay) {
        return new OutboxEndpoint(tools, relay.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    RelayEndpoint postriderRelayEndpoint(OutboxTools tools, ObjectProvider<RelayLifecycle> relay) {
        return new RelayEndpoint(tools, relay.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    DeadLettersEndpoint postriderDeadLettersEndpoint(
            OutboxTools tools,
            ObjectProvider<RelayDestination> destination,
            ListableBeanFactory beans,
            PostriderProperties properties) {
        boolean onlyOne =
                Arrays.stream(beans.getBeanNamesForType(Publisher.class)).anyMatch(beans::isSingleton);
        return new DeadLettersEndpoint(
                tools,
                new Replays(destination.getIfAvailable(), onlyOne),
                properties.endpoints().showPayloads() == PostriderProperties.ShowPayloads.ALWAYS);
    }
}
