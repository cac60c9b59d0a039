package dev.postrider.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.jdbc.HeaderJson;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * A row of an outbox as Debezium tells it: texts, JSON and UUIDs as text, times with time zone as ISO 8601, binary as bytes.
 * The counterpart of the store, which reads it by SQL.
 */
final class InsertedRow {
    /**
     * @param hash the content's, as its writer stored it
     * @param due null means at once
     */
    record Content(
            OutboxEvent event,
            @Nullable String hash,
            @Nullable Instant due) {
        String hashProblem() {
            return hash == null
                    ? "The row has no content hash, and the transform requires one."
                    : "The row was changed after it was written: its content does not match its hash.";
        }
    }

    /** The row's fault, and never the connector's. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(Exception cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }

    private final Struct row;

    InsertedRow(Struct row) {
        this.row = row;
    }

    /** By which people find it in the table. */
    String number() {
        Field id = row.schema().field("id");
        return id == null ? "unknown" : String.valueOf(row.get(id));
    }

    /**
     * @throws DataException if a column is missing, which is a fault of the connector's configuration and of every row
     */
    Content read() throws UnreadableException {
        String eventId = text("event_id");
        String type = text("event_type");
        String aggregateType = text("aggregate_type");
        String aggregateId = text("aggregate_id");
        String contentType = text("content_type");
        String json = text("payload");
        byte[] binary = bytes("payload_binary");
        String key = text("event_key");
        String source = text("source");
        String headers = text("headers");
        Instant occurredAt = time("occurred_at");
        String requestId = text("request_id");
        String hash = text("content_hash");
        Instant due = time("next_attempt_at");
        try {
            OutboxEvent event = new OutboxEvent(
                    UUID.fromString(present("event_id", eventId)),
                    present("event_type", type),
                    present("aggregate_type", aggregateType),
                    present("aggregate_id", aggregateId),
                    new Payload(
                            json != null ? json.getBytes(UTF_8) : present("payload_binary", binary),
                            present("content_type", contentType)),
                    key,
                    source,
                    HeaderJson.read(headers),
                    occurredAt,
                    requestId,
                    null,
                    null);
            return new Content(event, hash, due);
        } catch (PostriderException | IllegalArgumentException e) {
            throw new UnreadableException(e);
        }
    }

    private static <T> T present(String column, @Nullable T value) {
        if (value == null) {
            throw new PostriderException("The column " + column + " is null.");
        }
        return value;
    }

    private @Nullable String text(String column) {
        Object value = row.get(column);
        return value == null ? null : value.toString();
    }

    private byte @Nullable [] bytes(String column) {
        Object value = row.get(column);
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        throw new DataException(
                "The column " + column + " comes as " + value.getClass().getSimpleName()
                        + " and not as bytes: remove binary.handling.mode from the connector's configuration, or set it to bytes.");
    }

    /** Null also for what is stored as a time and is none, such as infinity. */
    private @Nullable Instant time(String column) {
        String text = text(column);
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
