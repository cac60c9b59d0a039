package dev.postrider.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Debezium tells becomes what a relay sends. With a real worker: {@code SameRecordsTest}. */
class OutboxTransformTest {
    @Test
    void insertBecomesACloudEvent() {
        SourceRecord sent =
                transformed(Map.of(), Changes.inserted(Map.of("headers", "{\"traceparent\":\"00-ab-cd-01\"}")));

        assertThat(sent.topic()).isEqualTo("order-events");
        assertThat(sent.kafkaPartition()).isNull();
        assertThat(sent.timestamp()).isNull();
        assertThat(text(sent.key())).isEqualTo("o-1");
        assertThat(text(sent.value())).isEqualTo("{\"total\": 12.50}");
        assertThat(headers(sent))
                .containsExactly(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", "01890a5d-ac96-774b-bcce-b302099a8057"),
                        Map.entry("ce_type", "acme.order.placed.v1"),
                        Map.entry("ce_source", "postrider"),
                        Map.entry("ce_time", "2026-11-15T10:00:00.123456Z"),
                        Map.entry("ce_partitionkey", "o-1"),
                        Map.entry("ce_aggregatetype", "Order"),
                        Map.entry("ce_aggregateid", "o-1"),
                        Map.entry("content-type", "application/json"),
                        Map.entry("traceparent", "00-ab-cd-01"));
    }

    @Test
    void ownKeySourceAndBinaryPayloadAreKept() {
        Map<String, Object> columns = new HashMap<>();
        columns.put("event_key", "customer-3");
        columns.put("source", "/shop");
        columns.put("payload", null);
        columns.put("payload_binary", ByteBuffer.wrap(new byte[] {0, -1, 7}));
        columns.put("content_type", "application/octet-stream");
        SourceRecord sent = transformed(Map.of(), Changes.inserted(columns));

        assertThat(text(sent.key())).isEqualTo("customer-3");
        assertThat((byte[]) sent.value()).containsExactly(0, -1, 7);
        assertThat(headers(sent))
                .containsEntry("ce_source", "/shop")
                .containsEntry("content-type", "application/octet-stream");
    }

    @Test
    void settingsAreThoseOfARelay() {
        Map<String, String> settings = Map.of(
                "routes", "order.placed=placed-orders, order.paid = money",
                "topic.prefix", "eu.",
                "source", "/orders",
                "body.id.field", "messageId",
                "content.mode", "structured");
        SourceRecord sent = transformed(settings, Changes.inserted(Map.of()));

        assertThat(sent.topic()).isEqualTo("eu.placed-orders");
        assertThat(headers(sent)).containsOnlyKeys("content-type");
        assertThat(text(sent.value()))
                .contains("\"source\":\"/orders\"")
                .contains("\"messageId\":\"01890a5d-ac96-774b-bcce-b302099a8057\"");
    }

    /** Where a row was stored is what matters, not how. */
    @Test
    void rowOfASnapshotIsAnEventToo() {
        assertThat(transformed(Map.of(), Changes.changed("r", Map.of())).topic())
                .isEqualTo("order-events");
    }

    @ParameterizedTest
    @ValueSource(strings = {"u", "d"})
    void changesThatAreNoInsertsAreDropped(String operation) {
        assertThat(transform(Map.of()).apply(Changes.changed(operation, Map.of())))
                .isNull();
    }

    @Test
    void heartbeatsPassAsBytes() {
        SourceRecord sent = transformed(Map.of(), Changes.heartbeat());

        assertThat(sent.topic()).isEqualTo("__debezium-heartbeat.postrider");
        assertThat(text(sent.value())).isEqualTo("42");
        assertThat(sent.sourceOffset().get("lsn")).isEqualTo(1L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2999-01-01T00:00:00Z", "2026-01-01T00:00:00Z"})
    void eventIsSentWhetherOrNotItIsDue(String due) {
        assertThat(transformed(Map.of(), Changes.inserted(Map.of("next_attempt_at", due)))
                        .topic())
                .isEqualTo("order-events");
    }

    @Test
    void whatIsNoTimeIsLeftOut() {
        assertThat(headers(transformed(Map.of(), Changes.inserted(Map.of("occurred_at", "infinity")))))
                .doesNotContainKey("ce_time");
    }

    @Test
    void unroutableEventGoesToTheTopicForSuchEvents() {
        SourceRecord sent = transformed(
                Map.of("undeliverable.topic", "lost-and-found"), Changes.inserted(Map.of("event_type", "odd")));

        assertThat(sent.topic()).isEqualTo("lost-and-found");
        assertThat(text(sent.key())).isEqualTo("o-1");
        assertThat(text(sent.value())).isEqualTo("{\"total\": 12.50}");
        assertThat(headers(sent))
                .containsEntry("postrider-outbox-id", "7")
                .containsEntry("postrider-event-id", "01890a5d-ac96-774b-bcce-b302099a8057")
                .containsEntry("postrider-event-type", "odd")
                .hasEntrySatisfying(
                        "postrider-problem",
                        problem -> assertThat(problem).startsWith("unroutable: Event type [odd] leads to no topic"));
    }

    @Test
    void changedEventGoesThereToo() {
        SourceRecord sent = transformed(
                Map.of("undeliverable.topic", "lost-and-found"), Changes.inserted(Map.of("content_hash", "00ff")));

        assertThat(sent.topic()).isEqualTo("lost-and-found");
        assertThat(headers(sent))
                .hasEntrySatisfying(
                        "postrider-problem", problem -> assertThat(problem).startsWith("integrity: "));
    }

    @Test
    void payloadThatIsACloudEventItselfGoesThereToo() {
        SourceRecord sent = transformed(
                Map.of("undeliverable.topic", "lost-and-found"),
                Changes.inserted(Map.of("content_type", "application/cloudevents+json")));

        assertThat(headers(sent))
                .hasEntrySatisfying(
                        "postrider-problem", problem -> assertThat(problem).startsWith("invalid-cloudevent: "));
    }

    @Test
    void unreadableRowGoesThereWithItsNumber() {
        SourceRecord sent = transformed(
                Map.of("undeliverable.topic", "lost-and-found"),
                Changes.inserted(Map.of("headers", "\"no object\"", "event_type", " ")));

        assertThat(sent.topic()).isEqualTo("lost-and-found");
        assertThat(sent.value()).isNull();
        assertThat(headers(sent))
                .containsEntry("postrider-outbox-id", "7")
                .hasEntrySatisfying(
                        "postrider-problem", problem -> assertThat(problem).startsWith("unreadable: "));
    }

    @Test
    void withoutThatTopicTheTaskFailsAndSaysWhatToDo() {
        assertThatThrownBy(() -> transform(Map.of()).apply(Changes.inserted(Map.of("event_type", "odd"))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("row 7")
                .hasMessageContaining("undeliverable.topic")
                .hasMessageNotContaining("12.50");
    }

    @Test
    void withAKeyOnlySignedEventsAreSent(@TempDir Path directory) throws Exception {
        Path key = Files.write(directory.resolve("key"), "sixteen bytes or more".getBytes(UTF_8));
        Map<String, String> settings =
                Map.of("integrity.key.file", key.toString(), "undeliverable.topic", "lost-and-found");

        assertThat(transformed(settings, Changes.inserted(Map.of())).topic()).isEqualTo("lost-and-found");
    }

    @Test
    void requiredHashIsRequired() {
        Map<String, String> settings = Map.of("integrity", "required", "undeliverable.topic", "lost-and-found");

        assertThat(headers(transformed(settings, Changes.inserted(Map.of()))))
                .hasEntrySatisfying(
                        "postrider-problem", problem -> assertThat(problem).contains("no content hash"));
    }

    @Test
    void badSettingsAreRefusedByName() {
        assertThatThrownBy(() -> transform(Map.of("routes", "no-topic")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("routes");
        assertThatThrownBy(() -> transform(Map.of("content.mode", "xml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("content.mode");
        assertThatThrownBy(() -> transform(Map.of("undeliverable.topic", "a b")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("undeliverable.topic");
        assertThatThrownBy(() -> transform(Map.of("integrity.key.file", "/no/such/file")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("integrity.key.file");
    }

    @Test
    void workersFindTheTransformAsAService() {
        assertThat(ServiceLoader.load(Transformation.class).stream().map(ServiceLoader.Provider::type))
                .anyMatch(OutboxTransform.class::equals);
    }

    private static OutboxTransform<SourceRecord> transform(Map<String, String> settings) {
        OutboxTransform<SourceRecord> transform = new OutboxTransform<>();
        transform.configure(settings);
        return transform;
    }

    private static SourceRecord transformed(Map<String, String> settings, SourceRecord record) {
        return Objects.requireNonNull(transform(settings).apply(record));
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, UTF_8);
    }

    private static Map<String, String> headers(SourceRecord record) {
        Map<String, String> headers = new LinkedHashMap<>();
        record.headers().forEach(header -> headers.put(header.key(), text(header.value())));
        return headers;
    }
}
