package dev.postrider.tests.input;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.input.BadInput.Attempt;
import dev.postrider.tests.input.BadInput.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What programs in Java pass. */
final class JavaInputs {
    private final List<BadInput> inputs = new ArrayList<>();

    static List<BadInput> all() {
        JavaInputs all = new JavaInputs();
        all.add();
        return all.inputs;
    }

    private void input(String name, Attempt attempt, int status, String line) {
        inputs.add(new BadInput(Kind.JAVA, name, attempt, status, line));
    }

    /** What PostgreSQL calls an aborted transaction. */
    private static void fail(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1 / 0");
        } catch (SQLException e) {
            // As intended.
        }
    }

    private void add() {
        input("no type", playground -> Playground.call(() -> OutboxEvent.builder(null)), 0, "?");
        input("type that is blank", playground -> Playground.call(() -> OutboxEvent.builder(" ")), 0, "?");
        input("aggregate without an id", playground -> Playground.call(() -> OutboxEvent.builder("acme.order.paid.v1").aggregate("order", null).json("{}").build()), 0, "?");
        input("no aggregate", playground -> Playground.call(() -> OutboxEvent.builder("acme.order.paid.v1").json("{}").build()), 0, "?");
        input("no payload", playground -> Playground.call(() -> OutboxEvent.builder("acme.order.paid.v1").aggregate("order", "42").build()), 0, "?");
        input("payload that is null", playground -> Playground.call(() -> Playground.event().json(null)), 0, "?");
        input("id that is null", playground -> Playground.call(() -> Playground.event().id(null)), 0, "?");
        input("header that is null", playground -> Playground.call(() -> Playground.event().header("tenant", null).build()), 0, "?");
        input("retries below zero", playground -> Playground.call(() -> Playground.event().maxRetries(-1).build()), 0, "?");
        input("payload that is not JSON", playground -> playground.write((outbox, connection) -> outbox.write(connection, OutboxEvent.builder("acme.order.paid.v1").aggregate("order", "42").json("{\"a\": ").build())), 0, "?");
        input("payload with NUL", playground -> playground.write((outbox, connection) -> outbox.write(connection, OutboxEvent.builder("acme.order.paid.v1").aggregate("order", "42").json("{\"a\": \"\u0000\"}").build())), 0, "?");
        input("half of a surrogate pair", playground -> playground.write((outbox, connection) -> outbox.write(connection, OutboxEvent.builder("acme.order.paid.v1").aggregate("order", "4\uD83D2").json("{}").build())), 0, "?");
        input("NUL in an id", playground -> playground.write((outbox, connection) -> outbox.write(connection, OutboxEvent.builder("acme.order.paid.v1").aggregate("order", "4\0002").json("{}").build())), 0, "?");
        input("header that belongs to the envelope", playground -> playground.write((outbox, connection) -> outbox.write(connection, Playground.event().header("ce_id", "mine").build())), 0, "?");
        input("header with a line break", playground -> playground.write((outbox, connection) -> outbox.write(connection, Playground.event().header("tenant", "a\nb").build())), 0, "?");
        input("connection that is null", playground -> playground.write((outbox, connection) -> outbox.write((Connection) null, Playground.event().build())), 0, "?");
        input("event that is null", playground -> playground.write((outbox, connection) -> outbox.write(connection, (OutboxEvent) null)), 0, "?");
        input("events that are null", playground -> playground.write((outbox, connection) -> outbox.write(connection, (List<OutboxEvent>) null)), 0, "?");
        input("list with null", playground -> playground.write((outbox, connection) -> outbox.write(connection, Arrays.asList(Playground.event().build(), null))), 0, "?");
        input("event that is given twice", playground -> playground.write((outbox, connection) -> {
            OutboxEvent event = Playground.event().build();
            outbox.write(connection, List.of(event, event));
        }), 0, "?");
        input("event that is written twice", playground -> playground.write((outbox, connection) -> {
            OutboxEvent event = Playground.event().build();
            outbox.write(connection, event);
            outbox.write(connection, event);
        }), 0, "?");
        input("request id that is given twice", playground -> playground.write((outbox, connection) -> outbox.write(connection, List.of(Playground.event().requestId("r1").build(), Playground.event().requestId("r1").build()))), 0, "?");
        input("request id that was used", playground -> playground.write((outbox, connection) -> {
            outbox.write(connection, Playground.event().requestId("r1").build());
            outbox.write(connection, Playground.event().requestId("r1").build());
        }), 0, "?");
        input("once, of no request", playground -> playground.write((outbox, connection) -> outbox.writeOnce(connection, Playground.event().build())), 0, "?");
        input("no transaction", playground -> playground.write((outbox, connection) -> {
            connection.setAutoCommit(true);
            outbox.write(connection, Playground.event().build());
        }), 0, "?");
        input("no current transaction", playground -> playground.write((outbox, connection) -> outbox.write(Playground.event().build())), 0, "?");
        input("connection that is closed", playground -> playground.write((outbox, connection) -> {
            connection.close();
            outbox.write(connection, Playground.event().build());
        }), 0, "?");
        input("transaction that has failed", playground -> playground.write((outbox, connection) -> {
            fail(connection);
            outbox.write(connection, Playground.event().build());
        }), 0, "?");
        input("transaction that only reads", playground -> playground.write((outbox, connection) -> {
            connection.setReadOnly(true);
            outbox.write(connection, Playground.event().build());
        }), 0, "?");
        input("table that is not there", playground -> playground.write((outbox, connection) -> Outbox.builder().table(OutboxTable.parse("nothing_here")).build().write(connection, Playground.event().build())), 0, "?");
        input("object without a mapping", playground -> playground.write((outbox, connection) -> outbox.write(new Object())), 0, "?");
        input("name that is no table's", playground -> Playground.call(() -> OutboxTable.parse("Out Box")), 0, "?");
        input("source that is null", playground -> Playground.call(() -> Outbox.builder().source(null)), 0, "?");
        input("brokers that are none", playground -> Playground.call(() -> KafkaPublisher.builder("nonsense").build()), 0, "?");
        input("brokers that are null", playground -> Playground.call(() -> KafkaPublisher.builder(null).build()), 0, "?");
        input("misspelt property of Kafka", playground -> Playground.call(() -> KafkaPublisher.builder("127.0.0.1:1").property("lingr.ms", "5").build()), 0, "?");
        input("batches of nothing", playground -> Playground.call(() -> RelaySettings.builder().batchSize(0).build()), 0, "?");
        input("poll interval of nothing", playground -> Playground.call(() -> RelaySettings.builder().pollInterval(Duration.ZERO).build()), 0, "?");
        input("relay without a database", playground -> Playground.call(() -> Relay.builder(null, RecordingPublisher.acceptingAll())), 0, "?");
        input("relay without a publisher", playground -> Playground.call(() -> Relay.builder(playground.dataSource(), (Publisher) null)), 0, "?");
        input("events of less than nothing", playground -> Playground.call(() -> RelaySettings.builder().maxEventBytes(-1).build()), 0, "?");
    }
}
