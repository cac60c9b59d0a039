package dev.postrider.kafka.consume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a record, and what is refused. */
class CloudEventReaderTest {
    private static final String START =
            "{\"specversion\":\"1.0\", \"id\":\"i-1\",\"type\":\"acme.order.paid.v1\",\"source\":\"shop\"";
    private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ \"n\" : 1.50, \"name\" : \"Zürich\" }",
                "[1, [2], {}]",
                "12.340",
                "-0",
                "\"a \\\"quoted\\\" text, ü\"",
                "true",
                "null"
            })
    void payloadOfADocumentIsCutOutByteForByte(String data) throws Exception {
        assertThat(structured(START + ",\"data\" : " + data + " , \"tenant\":\"ü\"}")
                        .payload()
                        .text())
                .isEqualTo(data);
        assertThat(structured(START + ",\"data\":" + data + "}").payload().text())
                .isEqualTo(data);
        assertThat(structured(START + ",\"tenant\":\"ü\",\"data\":" + data + "\n}")
                        .payload()
                        .isJson())
                .isTrue();
    }

    @Test
    void documentHasBytesOrTextOfOtherTypesToo() throws Exception {
        ReceivedEvent bytes = structured(START + ",\"datacontenttype\":\"application/avro\",\"data_base64\":\"AQID\"}");
        ReceivedEvent text = structured(START + ",\"data\":\"<a>\\u00fc</a>\",\"datacontenttype\":\"text/xml\"}");

        assertThat(bytes.payload().bytes()).containsExactly(1, 2, 3);
        assertThat(bytes.payload().contentType()).isEqualTo("application/avro");
        assertThat(text.payload().text()).isEqualTo("<a>ü</a>");
    }

    @Test
    void attributesThatNobodyKnowsAreExtensions() throws Exception {
        ReceivedEvent event = structured(START
                + ",\"time\":\"2026-01-02T03:04:05+01:00\",\"priority\":7,\"none\":null,\"traceparent\":\"00-x\"}");

        assertThat(event.time()).isEqualTo(Instant.parse("2026-01-02T02:04:05Z"));
        assertThat(event.extensions()).isEqualTo(Map.of("priority", "7", "traceparent", "00-x"));
        assertThat(event.traceparent()).isEqualTo("00-x");
        assertThat(event.tracestate()).isNull();
        assertThat(event.aggregateId()).isNull();
        assertThat(event.payload().bytes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"specversion\":\"1.0\"}",
                START,
                START + ",\"a\":{}}",
                START + ",\"time\":\"now\"}"
            })
    void documentThatIsNoEventIsRefusedWithoutQuotingIt(String document) {
        assertThatThrownBy(() -> structured(document))
                .isInstanceOf(NotACloudEventException.class)
                .hasMessageStartingWith("The record is no CloudEvent: ")
                .hasMessageNotContaining("acme.order.paid");
    }

    @Test
    void otherVersionsAndMissingAttributesAreRefused() {
        assertThatThrownBy(() -> CloudEventReader.read(record(null, "ce_specversion", "0.3")))
                .hasMessageContaining("[0.3]");
        assertThatThrownBy(() -> CloudEventReader.read(record(new byte[0], "ce_specversion", "1.0", "ce_id", "1")))
                .hasMessageContaining("no type");
    }

    @Test
    void recordWithoutKeyOrValueIsAnEventIfItsHeadersSaySo() throws Exception {
        ReceivedEvent event = CloudEventReader.read(
                record(null, "ce_specversion", "1.0", "ce_id", "1", "ce_type", "t", "ce_source", "s"));

        assertThat(event.key()).isNull();
        assertThat(event.payload().bytes()).isEmpty();
        assertThat(event.payload().contentType()).isEqualTo("application/octet-stream");
    }

    private static ReceivedEvent structured(String document) throws NotACloudEventException {
        return CloudEventReader.read(record(document.getBytes(UTF_8), "Content-Type", STRUCTURED));
    }

    private static ConsumerRecord<byte[], byte[]> record(byte[] value, String... headers) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("topic", 0, 0, null, value);
        for (int n = 0; n < headers.length; n += 2) {
            record.headers().add(headers[n], headers[n + 1].getBytes(UTF_8));
        }
        return record;
    }
}
