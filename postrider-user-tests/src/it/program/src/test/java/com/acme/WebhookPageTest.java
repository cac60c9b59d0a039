package com.acme;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.postrider.Relay;
import dev.postrider.publish.webhook.WebhookPublisher;
import dev.postrider.testing.InMemoryOutbox;
import java.util.Base64;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/webhook.md */
class WebhookPageTest {

    @Test
    void relayIsBuiltForAWebhook() {
        DataSource dataSource = new InMemoryOutbox().dataSource();
        String secret = "whsec_" + Base64.getEncoder().encodeToString(new byte[24]);

        Relay relay = Relay.builder(
                        dataSource,
                        WebhookPublisher.builder()
                                .url("https://shop.example/hooks/events")
                                .secrets(List.of(secret))
                                .build())
                .build();

        assertThatCode(relay::close).doesNotThrowAnyException();
    }
}
