package dev.postrider.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.internal.kafka.Envelope;
import dev.postrider.publish.InvalidEventException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.UnroutableEventException;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Headers;
import org.apache.kafka.connect.transforms.Transformation;
import org.jspecify.annotations.Nullable;

/**
 * Makes of each row that Debezium has seen being inserted into an outbox the record that a relay would send to Kafka: the
 * same topic, key, value and CloudEvents headers. Keys, values and headers are bytes, so that the connector needs the {@code
 * ByteArrayConverter} for all three; {@code postrider debezium config} prints a configuration.
 *
 * <ol>
 *   <li>Heartbeats pass, as bytes. What is no change of a row passes as it is; changes that are no inserts are dropped.
 *   <li>An event that no relay would send either, such as one whose type leads to no topic, goes to the topic for
 *       undeliverable events, with the reason in a header. Without such a topic the connector's task fails.
 *   <li>An event that is not due yet is sent at once: Debezium knows no later.
 * </ol>
 *
 * <p>One thread, the task's.
 */
public final class OutboxTransform<R extends ConnectRecord<R>> implements Transformation<R> {
    /** In the topic for undeliverable events: why the event is there. */
    public static final String PROBLEM = "postrider-problem";

    /** In the topic for undeliverable events: the number of the event's row. */
    public static final String ROW = "postrider-outbox-id";

    private static final String HEARTBEAT = "io.debezium.connector.common.Heartbeat";
    private static final String CHANGE = ".Envelope";
    private static final int LONGEST_PROBLEM = 1_000;

    private @Nullable TransformSettings settings;
    private final EarlyEvents early = new EarlyEvents();

    /** For Kafka Connect. */
    public OutboxTransform() {}

    @Override
    public void configure(Map<String, ?> configuration) {
        settings = TransformSettings.of(configuration);
    }

    @Override
    public ConfigDef config() {
        return TransformSettings.DEFINITION;
    }

    @Override
    public String version() {
        String version = OutboxTransform.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /**
     * @return null for a change that is no insert
     * @throws DataException if the event cannot be sent, and there is no topic for such events
     */
    @Override
    public @Nullable R apply(R record) {
        Schema schema = record.valueSchema();
        String name = schema == null ? null : schema.name();
        if (HEARTBEAT.equals(name)) {
            return heartbeat(record);
        }
        if (!(record.value() instanceof Struct change) || name == null || !name.endsWith(CHANGE)) {
            return record;
        }
        String operation = change.getString("op");
        // A snapshot's row is told as read; it was inserted as well.
        return operation.equals("c") || operation.equals("r") ? event(record, change.getStruct("after")) : null;
    }

    /** Its record is what lets Kafka Connect store how far the connector has come while there are no events. */
    private static <R extends ConnectRecord<R>> R heartbeat(R record) {
        byte[] time = record.value() instanceof Struct heartbeat
                ? String.valueOf(heartbeat.get("ts_ms")).getBytes(UTF_8)
                : new byte[0];
        return bytes(record, record.topic(), record.topic().getBytes(UTF_8), time, new ConnectHeaders());
    }

    private R event(R record, Struct after) {
        TransformSettings use = use();
        InsertedRow row = new InsertedRow(after);
        try {
            InsertedRow.Content content = row.read();
            if (!use.hash().matches(content.event(), content.hash())) {
                return undeliverable(record, row, content, "integrity", content.hashProblem());
            }
            early.look(row.number(), content.due());
            ProducerRecord<byte[], byte[]> sent;
            try {
                String topic = use.routing().topicOf(content.event().type());
                sent = use.envelope().toRecord(content.event(), topic);
            } catch (UnroutableEventException | InvalidEventException e) {
                PublishResult.Rejected refused = PublishResult.Rejected.because(e);
                return undeliverable(record, row, content, refused.errorClass(), refused.reason());
            }
            return bytes(record, sent.topic(), sent.key(), sent.value(), headers(sent));
        } catch (InsertedRow.UnreadableException e) {
            return undeliverable(record, row, null, "unreadable", "The row cannot be read: " + e.getMessage());
        }
    }

    private static Headers headers(ProducerRecord<byte[], byte[]> sent) {
        Headers headers = new ConnectHeaders();
        sent.headers().forEach(header -> headers.add(header.key(), header.value(), Schema.BYTES_SCHEMA));
        return headers;
    }

    /** With its payload and its id as far as they can be read; everything else is in the row. */
    private R undeliverable(
            R record, InsertedRow row, InsertedRow.@Nullable Content content, String errorClass, String reason) {
        String problem = errorClass + ": " + reason;
        String topic = use().undeliverableTopic();
        if (topic == null) {
            throw new DataException("The event in row " + row.number() + " of the outbox cannot be sent. " + problem
                    + " Set " + TransformSettings.UNDELIVERABLE_TOPIC
                    + " so that such events go to a topic of their own"
                    + " and no longer stop the connector.");
        }
        Headers headers = new ConnectHeaders();
        add(headers, PROBLEM, problem.substring(0, Math.min(problem.length(), LONGEST_PROBLEM)));
        add(headers, ROW, row.number());
        if (content == null) {
            return bytes(record, topic, null, null, headers);
        }
        add(headers, "postrider-event-id", content.event().id().toString());
        add(headers, "postrider-event-type", content.event().type());
        return bytes(
                record,
                topic,
                Envelope.key(content.event()),
                content.event().payload().bytes(),
                headers);
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8), Schema.BYTES_SCHEMA);
    }

    /** To whichever partition the key leads, as from a relay; with the time at which it is sent. */
    private static <R extends ConnectRecord<R>> R bytes(
            R record, String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        return record.newRecord(
                topic, null, Schema.OPTIONAL_BYTES_SCHEMA, key, Schema.OPTIONAL_BYTES_SCHEMA, value, null, headers);
    }

    private TransformSettings use() {
        if (settings == null) {
            throw new IllegalStateException("The transform was not configured.");
        }
        return settings;
    }

    @Override
    public void close() {}
}
