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
        input(
                "no type",
                playground -> Playground.call(() -> OutboxEvent.builder(null)),
                0,
                "PostriderException: An event needs its type; it is empty.");
        input(
                "type that is blank",
                playground -> Playground.call(() -> OutboxEvent.builder(" ")),
                0,
                "PostriderException: An event needs its type; it is empty.");
        input(
                "aggregate without an id",
                playground -> Playground.call(() -> OutboxEvent.builder("acme.order.paid.v1")
                        .aggregate("order", null)
                        .json("{}")
                        .build()),
                0,
                "PostriderException: An event needs its aggregateId; it is empty.");
        input(
                "no aggregate",
                playground -> Playground.call(() ->
                        OutboxEvent.builder("acme.order.paid.v1").json("{}").build()),
                0,
                "PostriderException: Event acme.order.paid.v1 has no aggregate; call aggregate(type, id).");
        input(
                "no payload",
                playground -> Playground.call(() -> OutboxEvent.builder("acme.order.paid.v1")
                        .aggregate("order", "42")
                        .build()),
                0,
                "PostriderException: Event acme.order.paid.v1 has no payload; call json(..) or payload(..).");
        input(
                "payload that is null",
                playground -> Playground.call(() -> Playground.event().json(null)),
                0,
                "NullPointerException: JSON document");
        input(
                "id that is null",
                playground -> Playground.call(() -> Playground.event().id(null)),
                0,
                "NullPointerException: id");
        input(
                "header that is null",
                playground -> Playground.call(
                        () -> Playground.event().header("tenant", null).build()),
                0,
                "NullPointerException: value of header tenant");
        input(
                "retries below zero",
                playground ->
                        Playground.call(() -> Playground.event().maxRetries(-1).build()),
                0,
                "PostriderException: maxRetries is -1; it must be 0 or more.");
        input(
                "payload that is not JSON",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "42")
                                .json("{\"a\": ")
                                .build())),
                0,
                "PostriderException: The payload is not JSON: see line 1, column 7. Nothing was written. Send other formats with Payload.bytes(..).");
        input(
                "payload with NUL",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "42")
                                .json("{\"a\": \"\u0000\"}")
                                .build())),
                0,
                "PostriderException: The payload is not JSON: see line 1, column 8. Nothing was written. Send other formats with Payload.bytes(..).");
        input(
                "half of a surrogate pair",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "4\uD83D2")
                                .json("{}")
                                .build())),
                0,
                "PostriderException: The aggregate id has half of a surrogate pair at position 1, which is no character and would become a question mark. Nothing was written.");
        input(
                "NUL in an id",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "4\0002")
                                .json("{}")
                                .build())),
                0,
                "PostriderException: The aggregate id has a NUL character at position 1, which databases do not store. Nothing was written.");
        input(
                "header that belongs to the envelope",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection, Playground.event().header("ce_id", "mine").build())),
                0,
                "PostriderException: The header ce_id has a name that belongs to the envelope, which sets it itself: use the attribute of the event. Nothing was written.");
        input(
                "header with a line break",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection, Playground.event().header("tenant", "a\nb").build())),
                0,
                "PostriderException: The value of header tenant has a line break. Nothing was written.");
        input(
                "connection that is null",
                playground -> playground.write((outbox, connection) ->
                        outbox.write((Connection) null, Playground.event().build())),
                0,
                "NullPointerException: connection");
        input(
                "event that is null",
                playground -> playground.write((outbox, connection) -> outbox.write(connection, (OutboxEvent) null)),
                0,
                "NullPointerException: event");
        input(
                "events that are null",
                playground ->
                        playground.write((outbox, connection) -> outbox.write(connection, (List<OutboxEvent>) null)),
                0,
                "NullPointerException: events");
        input(
                "list with null",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection, Arrays.asList(Playground.event().build(), null))),
                0,
                "NullPointerException: event");
        input(
                "event that is given twice",
                playground -> playground.write((outbox, connection) -> {
                    OutboxEvent event = Playground.event().build();
                    outbox.write(connection, List.of(event, event));
                }),
                0,
                "PostriderException: Event # (acme.order.paid.v1) is given twice, which consumers would take for one. Nothing was written. Each event is built once, and written once.");
        input(
                "request id that is given twice",
                playground -> playground.write((outbox, connection) -> outbox.write(
                        connection,
                        List.of(
                                Playground.event().requestId("r1").build(),
                                Playground.event().requestId("r1").build()))),
                0,
                "PostriderException: Two of the events have the same request id, r1, which must be unique. Nothing was written.");
        input(
                "request id that was used",
                playground -> playground.write((outbox, connection) -> {
                    outbox.write(connection, Playground.event().requestId("r1").build());
                    outbox.write(connection, Playground.event().requestId("r1").build());
                }),
                0,
                "PostriderException: An event with this request id is in outbox outbox already. Roll this transaction back: the request was handled before. Outbox.writeOnce tells so without an error.");
        input(
                "once, of no request",
                playground -> playground.write((outbox, connection) ->
                        outbox.writeOnce(connection, Playground.event().build())),
                0,
                "PostriderException: Event acme.order.paid.v1 has no request id; call requestId(..).");
        input(
                "no transaction",
                playground -> playground.write((outbox, connection) -> {
                    connection.setAutoCommit(true);
                    outbox.write(connection, Playground.event().build());
                }),
                0,
                "NoTransactionException: No transaction: the connection is in autocommit mode, so this would not share the fate of your data. Call setAutoCommit(false) (or begin a transaction in your framework), do it on the same connection as the data, then commit.");
        input(
                "no current transaction",
                playground -> playground.write(
                        (outbox, connection) -> outbox.write(Playground.event().build())),
                0,
                "NoTransactionException: This outbox does not know which transaction this thread is in. Call write(connection, event) with the connection that the data is written on, or build the outbox with Outbox.builder().currentTransaction(..).");
        input(
                "connection that is closed",
                playground -> playground.write((outbox, connection) -> {
                    connection.close();
                    outbox.write(connection, Playground.event().build());
                }),
                0,
                "PostriderException: The database of outbox outbox cannot be used: Connection is closed");
        input(
                "transaction that has failed",
                playground -> playground.write((outbox, connection) -> {
                    fail(connection);
                    outbox.write(connection, Playground.event().build());
                }),
                0,
                "PostriderException: The transaction was already aborted by an earlier error, so that nothing more can be done in it. Roll it back; what the earlier statement threw says why.");
        input(
                "transaction that only reads",
                playground -> playground.write((outbox, connection) -> {
                    connection.setReadOnly(true);
                    outbox.write(connection, Playground.event().build());
                }),
                0,
                "PostriderException: The database of outbox outbox cannot be used: ERROR: cannot execute INSERT in a read-only transaction");
        input(
                "table that is not there",
                playground -> playground.write((outbox, connection) -> Outbox.builder()
                        .table(OutboxTable.parse("nothing_here"))
                        .build()
                        .write(connection, Playground.event().build())),
                0,
                "PostriderException: There is no outbox table nothing_here in this database. Create it with OutboxSchema.migrate(..) or 'postrider migrate'.");
        input(
                "object without a mapping",
                playground -> playground.write((outbox, connection) -> outbox.write(new Object())),
                0,
                "PostriderException: This outbox has no mapping for a java.lang.Object; nothing was written. Call write(mapping, event), or build the outbox with Outbox.builder().mapping(..).");
        input(
                "name that is no table's",
                playground -> Playground.call(() -> OutboxTable.parse("Out Box")),
                0,
                "PostriderException: The table name [Out Box] is not allowed: use lower-case letters, digits and underscores, at most 40 characters, not starting with a digit; schema and table are separated by a dot.");
        input(
                "source that is null",
                playground -> Playground.call(() -> Outbox.builder().source(null)),
                0,
                "NullPointerException: source");
        input(
                "brokers that are none",
                playground ->
                        Playground.call(() -> KafkaPublisher.builder("nonsense").build()),
                0,
                "PostriderException: The bootstrap servers of Kafka are [nonsense]; they must be host:port, or several of them separated by commas.");
        input(
                "brokers that are null",
                playground -> Playground.call(() -> KafkaPublisher.builder(null).build()),
                0,
                "NullPointerException: bootstrapServers");
        input(
                "batches of nothing",
                playground -> Playground.call(
                        () -> RelaySettings.builder().batchSize(0).build()),
                0,
                "InvalidOptionException: relay.batch-size is 0; it must be a whole number from 1 to 10000.");
        input(
                "poll interval of nothing",
                playground -> Playground.call(() ->
                        RelaySettings.builder().pollInterval(Duration.ZERO).build()),
                0,
                "InvalidOptionException: relay.poll-interval is 0ms; it must be a positive duration such as 200ms, 5s, 10m or 1h.");
        input(
                "relay without a database",
                playground -> Playground.call(() -> Relay.builder(null, RecordingPublisher.acceptingAll())),
                0,
                "NullPointerException: dataSource");
        input(
                "relay without a publisher",
                playground -> Playground.call(() -> Relay.builder(playground.dataSource(), (Publisher) null)),
                0,
                "NullPointerException: publisher");
        input(
                "events of less than nothing",
                playground -> Playground.call(
                        () -> RelaySettings.builder().maxEventBytes(-1).build()),
                0,
                "InvalidOptionException: relay.max-event-bytes is -1; it must be a whole number of 1 or more.");
    }
}
