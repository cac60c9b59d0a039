package dev.postrider.connect;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** Changes of an outbox's rows as Debezium tells them. */
final class Changes {
    private static final Schema ROW = SchemaBuilder.struct()
            .name("postrider.public.outbox.Value")
            .optional()
            .field("id", Schema.INT64_SCHEMA)
            .field("event_id", named("io.debezium.data.Uuid"))
            .field("event_type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("aggregate_type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("aggregate_id", Schema.OPTIONAL_STRING_SCHEMA)
            .field("event_key", Schema.OPTIONAL_STRING_SCHEMA)
            .field("source", Schema.OPTIONAL_STRING_SCHEMA)
            .field("payload", named("io.debezium.data.Json"))
            .field("payload_binary", Schema.OPTIONAL_BYTES_SCHEMA)
            .field("content_type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("headers", named("io.debezium.data.Json"))
            .field("request_id", Schema.OPTIONAL_STRING_SCHEMA)
            .field("content_hash", Schema.OPTIONAL_STRING_SCHEMA)
            .field("occurred_at", named("io.debezium.time.ZonedTimestamp"))
            .field("next_attempt_at", named("io.debezium.time.ZonedTimestamp"))
            .build();

    private static final Schema CHANGE = SchemaBuilder.struct()
            .name("postrider.public.outbox.Envelope")
            .field("before", ROW)
            .field("after", ROW)
            .field("op", Schema.STRING_SCHEMA)
            .build();

    private Changes() {}

    private static Schema named(String name) {
        return SchemaBuilder.string().name(name).optional().build();
    }

    /** An order that was placed, except for these columns. */
    static SourceRecord inserted(Map<String, ?> columns) {
        return changed("c", columns);
    }

    static SourceRecord changed(String operation, Map<String, ?> columns) {
        Map<String, @Nullable Object> all = new HashMap<>(Map.of(
                "id", 7L,
                "event_id", "01890a5d-ac96-774b-bcce-b302099a8057",
                "event_type", "acme.order.placed.v1",
                "aggregate_type", "Order",
                "aggregate_id", "o-1",
                "payload", "{\"total\": 12.50}",
                "content_type", "application/json",
                "occurred_at", "2026-11-15T10:00:00.123456Z"));
        all.putAll(columns);
        Struct row = new Struct(ROW);
        for (Field field : ROW.fields()) {
            row.put(field, all.get(field.name()));
        }
        Struct change = new Struct(CHANGE).put("op", operation);
        change.put(operation.equals("d") ? "before" : "after", row);
        return record("postrider.public.outbox", CHANGE, change);
    }

    static SourceRecord heartbeat() {
        Schema schema = SchemaBuilder.struct()
                .name("io.debezium.connector.common.Heartbeat")
                .field("ts_ms", Schema.INT64_SCHEMA)
                .build();
        return record("__debezium-heartbeat.postrider", schema, new Struct(schema).put("ts_ms", 42L));
    }

    private static SourceRecord record(String topic, Schema schema, Struct value) {
        return new SourceRecord(
                Map.of("server", "postrider"), Map.of("lsn", 1L), topic, 0, null, null, schema, value, 99L);
    }
}
