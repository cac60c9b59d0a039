package com.acme;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.postrider.Relay;
import dev.postrider.alert.AlertRules;
import dev.postrider.alert.Slf4jChannel;
import dev.postrider.alert.webhook.WebhookChannel;
import dev.postrider.alert.webhook.WebhookFormat;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.RecordingPublisher;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/alerts.md: the build of this program sets the variable. */
class AlertsPageTest {

    @Test
    void relayIsBuiltWithAlerts() {
        DataSource dataSource = new InMemoryOutbox().dataSource();
        Publisher publisher = RecordingPublisher.acceptingAll();

        Relay relay = Relay.builder(dataSource, publisher)
                .alerts(
                        AlertRules.builder()
                                .pending(1_000)
                                .oldestAge(Duration.ofMinutes(5))
                                .build(),
                        List.of(
                                new Slf4jChannel("relay-1"),
                                new WebhookChannel(URI.create(System.getenv("ALERT_WEBHOOK")), WebhookFormat.DISCORD)))
                .build();

        assertThatCode(relay::close).doesNotThrowAnyException();
    }
}
