package com.acme;

import static com.acme.Waiting.await;

import dev.postrider.EventStatus;
import dev.postrider.Outbox;
import dev.postrider.Relay;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.RecordingPublisher;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/configuration.md, where it is about retries. */
class RetriesPageTest {

    @Test
    void policyGivesUpAtOnce() throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();
        DataSource dataSource = memory.dataSource();
        new OrderService(dataSource, Outbox.builder().build()).place("o-1");
        Publisher publisher =
                RecordingPublisher.answering(event -> new PublishResult.Rejected("http-404", "not found", false));

        Relay relay = Relay.builder(dataSource, publisher)
                .retry((event, failure, attempt) -> switch (failure.errorClass()) {
                    case "http-404" -> RetryPolicy.giveUp(); // a dead letter at once
                    case "http-409" -> RetryPolicy.retryAfter(Duration.ofMinutes(1)); // as often as it takes
                    default -> Backoff.DEFAULT.decide(event, failure, attempt);
                })
                .build();

        try (relay) {
            relay.start();
            await().until(() -> memory.events(EventStatus.DEAD_LETTER).size() == 1);
        }
    }
}
