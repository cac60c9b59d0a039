package dev.postrider.examples.commerce.api;

import dev.postrider.EventMapping;
import dev.postrider.examples.commerce.api.event.DomainEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
class EventConfiguration {

    @Bean
    EventMapping<DomainEvent> domainEventMapping(JsonMapper json) {
        EventEnvelopes envelopes = new EventEnvelopes();
        return EventMapping.json(json, event -> event.accept(envelopes));
    }
}
