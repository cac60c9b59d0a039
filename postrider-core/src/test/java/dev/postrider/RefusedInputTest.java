package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.publish.handler.HandlerPublisher;
import dev.postrider.testing.InMemoryOutbox;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** What writers give that cannot be taken is refused with one clear error, and nothing of it is written. */
class RefusedInputTest {
    private static final String NULL = null;
    private static final String HALF = "\ud83d";
    private static final Outbox OUTBOX = Outbox.builder().build();
    private static final Inbox INBOX = Inbox.of("fraud-check");
    private static final NamedLocks LOCKS = NamedLocks.create();

    private interface Call {
        void on(Connection connection) throws Exception;
    }

    static Stream<Arguments> nulls() {
        OutboxEvent event = builder().build();
        EventMapping<String> mapping = text -> event;
        return Stream.of(
                nothing("connection", given -> OUTBOX.write((Connection) null, event)),
                nothing("connection", given -> OUTBOX.write((Connection) null, List.of(event))),
                nothing("connection", given -> OUTBOX.writeOnce(null, event)),
                nothing("event", given -> OUTBOX.write(given, (OutboxEvent) null)),
                nothing("event", given -> OUTBOX.write(given, Arrays.asList(event, null))),
                nothing("event", given -> OUTBOX.writeOnce(given, null)),
                nothing("event", given -> OUTBOX.write((OutboxEvent) null)),
                nothing("events", given -> OUTBOX.write(given, (List<OutboxEvent>) null)),
                nothing("mapping", given -> OUTBOX.write(given, null, "x")),
                nothing("domainEvent", given -> OUTBOX.write(given, mapping, NULL)),
                nothing("what the mapping returned", given -> OUTBOX.write(given, text -> null, "x")),
                nothing("table", given -> Outbox.builder().table(null)),
                nothing("source", given -> Outbox.builder().source(null)),
                nothing("routing", given -> Outbox.builder().routing(null)),
                nothing("key", given -> Outbox.builder().integrityKey(null)),
                nothing("transaction", given -> Outbox.builder().currentTransaction(null)),
                nothing("action", given -> Outbox.builder().afterCommit(null)),
                nothing("dataSource", given -> JdbcTransactions.of(null)),
                nothing("type", given -> HandlerPublisher.builder().on(null, handled -> {})),
                nothing("handler", given -> HandlerPublisher.builder().on("acme.any.thing.v1", null)),
                nothing("timeout", given -> HandlerPublisher.builder().timeout(null)),
                nothing("id", given -> builder().id(null)),
                nothing("payload", given -> builder().payload(null)),
                nothing("JSON document", given -> builder().json(null)),
                nothing("bytes", given -> Payload.bytes(null, "application/avro")),
                nothing("contentType", given -> Payload.bytes(new byte[0], null)),
                nothing("name of a header", given -> builder().header(null, "x")),
                nothing("value of header tenant", given -> builder().header("tenant", null)),
                nothing("value of header tenant", given -> builder().headers(withNull("tenant"))),
                nothing("headers", given -> builder().headers(null)),
                nothing(
                        "serializer",
                        given -> EventMapping.json((EventMapping.Serializer<Object, String>) null, x -> builder())),
                nothing("mapper", given -> EventMapping.json((JsonMapper) null, x -> builder())),
                nothing("description", given -> EventMapping.json(x -> "1", null)),
                nothing(
                        "what the description returned",
                        given -> EventMapping.json(x -> "1", x -> null).toEvent("x")),
                nothing("type", given -> EventMapping.forSealed(null)),
                nothing(
                        "eventClass",
                        given -> EventMapping.forOpen(Object.class).on(null, x -> builder())),
                nothing("connection", given -> INBOX.mark((Connection) null, "1")),
                nothing("eventId", given -> INBOX.mark(given, NULL)),
                nothing("eventIds", given -> INBOX.mark(given, (List<String>) null)),
                nothing("id of an event", given -> INBOX.mark(given, Collections.singletonList(NULL))),
                nothing("aggregateId", given -> INBOX.markAction(given, "product", null, "sold")),
                nothing("requestId", given -> INBOX.answerOnce(given, null, () -> "done")),
                nothing("request", given -> INBOX.answerOnce(given, "r", null)),
                nothing("age", given -> INBOX.purge(new InMemoryOutbox().dataSource(), null)),
                nothing("dataSource", given -> INBOX.purge(null, Duration.ZERO)),
                nothing("name of a consumer", given -> Inbox.of(null)),
                nothing("transaction", given -> INBOX.with(null)),
                nothing("name", given -> LOCKS.hold(given, NULL)),
                nothing("name", given -> LOCKS.tryHold(given, null)),
                nothing("connection", given -> LOCKS.tryHold(null, "member-1")));
    }

    static Stream<Arguments> unusable() {
        UUID id = UUID.randomUUID();
        return Stream.of(
                refused("needs its type", given -> OutboxEvent.builder(null)),
                refused("needs its type", given -> OutboxEvent.builder(" ")),
                refused("needs its aggregateId", given -> builder().aggregate("order", null)),
                refused(
                        "The payload has half of a surrogate pair at position 1,",
                        given -> builder().json("\"" + HALF + "\"")),
                refused("such as 500 nested levels", given -> builder().json("[".repeat(2_000) + "]".repeat(2_000))),
                refused(
                        "The payload is said to be JSON and is not UTF-8.",
                        write(json("\"ä\"".getBytes(StandardCharsets.ISO_8859_1)))),
                refused("The payload has a NUL character at position 1,", write(json(new byte[] {'1', 0}))),
                refused(
                        "The content type has a line break",
                        write(builder().payload(Payload.bytes(new byte[0], "a\nb")))),
                refused(
                        "The event type has half of a surrogate pair at position 5,",
                        write(OutboxEvent.builder("acme." + HALF)
                                .aggregate("a", "1")
                                .json("1"))),
                refused(
                        "The aggregate type has a NUL character at position 1,",
                        write(builder().aggregate("a\0", "1"))),
                refused(
                        "The aggregate id has a NUL character at position 0,",
                        write(builder().aggregate("a", "\0001"))),
                refused(
                        "The aggregate id has half of a surrogate pair at position 2,",
                        write(builder().aggregate("a", "1 \ude00 "))),
                refused("The aggregate id has half", write(builder().aggregate("a", HALF + HALF))),
                refused("The key has half", write(builder().key("k" + HALF))),
                refused("The source has a NUL", write(builder().source("s\0"))),
                refused("The request id has half", write(builder().requestId(HALF + "r"))),
                refused(
                        "The header ce_id has a name that belongs to the envelope",
                        write(builder().header("ce_id", "1"))),
                refused("The header CE_Source has a name", write(builder().header("CE_Source", "1"))),
                refused("The header Content-Type has a name", write(builder().header("Content-Type", "1"))),
                refused("The name of a header is blank", write(builder().header(" ", "1"))),
                refused("The name of a header has a line break", write(builder().header("a\nb", "1"))),
                refused(
                        "The value of header tenant has a line break",
                        write(builder().header("tenant", "1\r\nce_id: 2"))),
                refused("The value of header tenant has half", write(builder().header("tenant", HALF))),
                refused(
                        "Event " + id + " (acme.any.thing.v1) is given twice",
                        given -> OUTBOX.write(
                                given,
                                List.of(
                                        builder().id(id).build(),
                                        builder().id(id).build()))),
                refused(
                        "Two of the events have the same request id, r",
                        given -> OUTBOX.write(
                                given,
                                List.of(
                                        builder().requestId("r").build(),
                                        builder().requestId("r").build()))),
                refused("The id of an event has half", given -> INBOX.mark(given, "1" + HALF)),
                refused("The id of an event has a NUL", given -> INBOX.mark(given, List.of("1", "2\0"))),
                refused("The id of an event has a NUL", given -> INBOX.markAction(given, "product", "7\0", "sold")),
                refused("The answer to a request has a NUL", given -> INBOX.answerOnce(given, "r", () -> "\0")),
                refused("The name of a consumer has half", given -> Inbox.of(HALF)),
                refused("The name of a lock has a NUL", given -> LOCKS.hold(given, "member-\0")),
                refused("The name of a lock has half", given -> LOCKS.tryHold(given, HALF)));
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nullIsNamed(String name, Call call) throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();
        try (Connection connection = transaction(memory)) {
            assertThatThrownBy(() -> call.on(connection))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage(name);
            connection.commit();
        }
        assertThat(memory.events()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void whatCannotBeStoredAndSentAsItIsIsRefused(String message, Call call) throws SQLException {
        InMemoryOutbox memory = new InMemoryOutbox();
        try (Connection connection = transaction(memory)) {
            assertThatThrownBy(() -> call.on(connection))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining(message);
            connection.commit();
        }
        assertThat(memory.events()).isEmpty();
    }

    private static Arguments nothing(String name, Call call) {
        return Arguments.of(name, call);
    }

    private static Arguments refused(String message, Call call) {
        return Arguments.of(message, call);
    }

    private static Call write(OutboxEvent.Builder event) {
        return connection -> OUTBOX.write(connection, event.build());
    }

    private static OutboxEvent.Builder builder() {
        return OutboxEvent.builder("acme.any.thing.v1").aggregate("any", "1").json("\"\ud83d\ude00\"");
    }

    private static OutboxEvent.Builder json(byte[] bytes) {
        return builder().payload(Payload.bytes(bytes, Payload.JSON));
    }

    private static Map<String, String> withNull(String name) {
        Map<String, String> headers = new HashMap<>();
        headers.put(name, null);
        return headers;
    }

    private static Connection transaction(InMemoryOutbox memory) throws SQLException {
        Connection connection = memory.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }
}
