package dev.postrider.spring.test;

import dev.postrider.CurrentTransaction;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.relay.RelayConnections;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.settings.IntegritySettings;
import dev.postrider.spring.autoconfigure.PostriderAutoConfiguration;
import dev.postrider.spring.autoconfigure.RelayAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** What tests look at, in an application that has an outbox. */
@AutoConfiguration(after = {PostriderAutoConfiguration.class, RelayAutoConfiguration.class})
@ConditionalOnBean(OutboxTables.class)
final class PostriderTestAutoConfiguration {

    @Bean
    static EmbeddedDatabases postriderEmbeddedDatabases() {
        return new EmbeddedDatabases();
    }

    @Bean
    WrittenEvents postriderWrittenEvents(
            OutboxDataSource dataSource,
            CurrentTransaction transaction,
            OutboxTables tables,
            ObjectProvider<JsonMapper> json) {
        return new WrittenEvents(dataSource, transaction, tables, mapper(json));
    }

    /** Not in slices, which have nothing of a relay. */
    @Bean
    @ConditionalOnBean(RelayConnections.class)
    @ConditionalOnBooleanProperty(name = "postrider.relay.enabled", havingValue = false)
    PublishedEvents postriderPublishedEvents(
            WrittenEvents written,
            RelayConnections connections,
            OutboxTables tables,
            IntegritySettings integrity,
            ObjectProvider<JsonMapper> json) {
        return new PublishedEvents(written, connections, tables.table(), integrity, mapper(json));
    }

    /** As for writing. */
    private static JsonMapper mapper(ObjectProvider<JsonMapper> json) {
        return json.getIfAvailable(() -> JsonMapper.builder().build());
    }
}
