package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/dead-letters.md: what was given up is sent again. */
class DeadLettersPageTest {

    @Test
    void deadLettersAreSentAgain() throws SQLException {
        DataSource dataSource = Servers.databaseWithOutbox();
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> new PublishResult.Rejected("RecordTooLargeException", "too large", true));
        try (Relay relay = Relay.builder(dataSource, publisher).build()) {
            relay.start();
            write(dataSource);
            await().until(() -> deadLetters(dataSource) == 1);
            publisher.answer(event -> new PublishResult.Accepted());

            OutboxAdmin admin = OutboxAdmin.builder(dataSource).build();
            admin.retry(
                    DeadLetterSelection.builder()
                            .errorClass("RecordTooLargeException")
                            .build(),
                    "nightly-job");

            relay.nudge();
            await().until(() -> publisher.acceptedBodies().equals(List.of("{\"order\":\"o-1\"}")));
        }
        assertThat(deadLetters(dataSource)).isZero();
    }

    private static long deadLetters(DataSource dataSource) {
        return OutboxAdmin.builder(dataSource).build().count(DeadLetterSelection.all());
    }

    private static void write(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.placed.v1")
                                    .aggregate("order", "o-1")
                                    .json("{\"order\":\"o-1\"}")
                                    .build());
            connection.commit();
        }
    }
}
