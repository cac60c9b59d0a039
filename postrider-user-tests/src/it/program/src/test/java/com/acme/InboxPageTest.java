package com.acme;

import static com.acme.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Inbox;
import dev.postrider.InboxSchema;
import dev.postrider.NamedLocks;
import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.consume.StartAt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/inbox.md: events that arrive twice, and requests that come twice, have one effect. */
class InboxPageTest {
    private final DataSource dataSource = Servers.databaseWithOutbox();
    private final String bootstrapServers = Servers.kafkaWithTransferEvents();
    private final Outbox outbox = Outbox.builder().source("payments").build();

    @BeforeEach
    void makeTables() throws SQLException {
        InboxSchema.migrate(dataSource);
        Servers.execute(dataSource, "create table assessment (account text, transfer text)");
        Servers.execute(dataSource, "create table donation (member text, points int)");
    }

    @Test
    void eventThatArrivesTwiceIsHandledOnceOneByOne() throws Exception {
        KafkaEventConsumer consumer = KafkaEventConsumer.builder(bootstrapServers, "one-by-one")
                .topics("transfer-events")
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .handler(this::handleOnce)
                .build();
        sendOneTwiceAndAnotherOnce("account-8");

        try (consumer) {
            consumer.start();
            await().until(assessments("account-8"), seen -> seen.contains("second"));
        }
        assertThat(assessments("account-8").call()).containsExactly("first", "second");
    }

    @Test
    void eventThatArrivesTwiceIsHandledOnceInBatches() throws Exception {
        Inbox inbox = Inbox.of("fraud-check");
        KafkaEventConsumer consumer = KafkaEventConsumer.builder(bootstrapServers, "batches")
                .topics("transfer-events")
                .settings(ConsumerSettings.builder().startAt(StartAt.EARLIEST).build())
                .batchHandler(events -> {
                    try (Connection connection = dataSource.getConnection()) {
                        connection.setAutoCommit(false);
                        List<String> ids =
                                events.stream().map(ReceivedEvent::id).toList();
                        Set<String> fresh = inbox.mark(connection, ids);
                        for (ReceivedEvent event : events) {
                            if (fresh.remove(event.id())) { // a batch may hold an event twice
                                assessRisk(connection, event);
                            }
                        }
                        connection.commit();
                    }
                })
                .build();
        sendOneTwiceAndAnotherOnce("account-9");

        try (consumer) {
            consumer.start();
            await().until(assessments("account-9"), seen -> seen.contains("second"));
        }
        assertThat(assessments("account-9").call()).containsExactly("first", "second");
    }

    private void handleOnce(ReceivedEvent event) throws SQLException {
        Inbox inbox = Inbox.of("fraud-check"); // whose marks these are

        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            if (inbox.mark(connection, event.id())) { // false: it was handled before
                assessRisk(connection, event);
            }
            connection.commit();
        }
    }

    /** The first is delivered again by an operator; the second comes behind both, because it has the same key. */
    private void sendOneTwiceAndAnotherOnce(String account) throws SQLException {
        OutboxAdmin admin = OutboxAdmin.builder(dataSource).build();
        ReplayRequest history = ReplayRequest.of(new ReplayScope.OfAggregate("account", account));
        try (Relay relay = Relay.builder(
                                dataSource,
                                KafkaPublisher.builder(bootstrapServers).build())
                        .build();
                KafkaPublisher again = KafkaPublisher.builder(bootstrapServers).build()) {
            relay.start();
            write(transfer(account, "first"));
            relay.nudge();
            await().until(() -> admin.extent(history).events() == 1);
            assertThat(admin.replay(history, again, () -> false, "alice").sent())
                    .isEqualTo(1);
            write(transfer(account, "second"));
            relay.nudge();
            await().until(() -> admin.extent(history).events() == 2);
        }
    }

    private void write(OutboxEvent event) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            outbox.write(connection, event);
            connection.commit();
        }
    }

    private static OutboxEvent transfer(String account, String name) {
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", account)
                .json("\"" + name + "\"")
                .build();
    }

    private Callable<List<String>> assessments(String account) {
        return () -> Servers.column(dataSource, "select transfer from assessment where account = '" + account + "'");
    }

    private static void assessRisk(Connection connection, ReceivedEvent event) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into assessment values (?, ?)")) {
            insert.setString(1, event.aggregateId());
            insert.setString(2, event.payload().text().replace("\"", ""));
            insert.executeUpdate();
        }
    }

    @Test
    void requestThatComesTwiceIsAnsweredTheSameWay() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);

            assertThat(handle(connection, "request-1", "member-42", 5)).isEqualTo("{\"donation\": 17}");
            assertThat(handle(connection, "request-1", "member-42", 5)).isEqualTo("{\"donation\": 17}");
        }
        assertThat(Servers.column(dataSource, "select points from donation")).containsExactly("5");
        assertThat(Servers.column(dataSource, "select event_type from outbox"))
                .containsExactly("acme.donation.made.v1");
    }

    private String handle(Connection connection, String requestId, String member, int points) throws SQLException {
        Inbox inbox = Inbox.of("donations");
        OutboxEvent event = OutboxEvent.builder("acme.donation.made.v1")
                .aggregate("member", member)
                .json("{}")
                .build();
        Inbox.Answer answer = inbox.answerOnce(connection, requestId, () -> {
            donate(connection, member, points);
            outbox.write(connection, event);
            return "{\"donation\": 17}";
        });
        connection.commit();
        return answer.outcome(); // the same for the first and every later request
    }

    private static void donate(Connection connection, String member, int points) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into donation values (?, ?)")) {
            insert.setString(1, member);
            insert.setInt(2, points);
            insert.executeUpdate();
        }
    }

    @Test
    void oneTransactionAtATimeHoldsALock() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Connection other = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            other.setAutoCommit(false);

            NamedLocks locks = NamedLocks.create();
            locks.hold(connection, "member-42"); // until the transaction ends, however it ends

            assertThat(locks.tryHold(other, "member-42")).isFalse();
            connection.rollback();
            assertThat(locks.tryHold(other, "member-42")).isTrue();
            other.rollback();
        }
    }
}
