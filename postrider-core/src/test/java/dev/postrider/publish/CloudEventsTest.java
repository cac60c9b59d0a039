package dev.postrider.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import java.net.URI;
import java.nio.charset.Charset;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Attributes that nobody could read are mended, or the event is refused. */
class CloudEventsTest {
    private final CloudEvents events = new CloudEvents("postrider");

    @ParameterizedTest
    @ValueSource(
            strings = {"no uri", "%zz", "::", "//", "[x]", "a\nb", "\u0000", "http://[bad", "http://a b/", "?#?#", "\\"
            })
    void sourceThatIsNoUriReferenceIsWrittenAsOne(String source) {
        String reference = attributes(event().source(source).build()).get("source");

        assertThat(URI.create(reference).toString()).isEqualTo(reference).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop", "/shop/orders", "https://shop.example/orders?x=1#y", "urn:uuid:1", "https://a/ü"})
    void sourceThatIsOneStaysAsItIs(String source) {
        assertThat(attributes(event().source(source).build())).containsEntry("source", source);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void emptySourceIsTheDefault(String source) {
        assertThat(attributes(event().source(source).build())).containsEntry("source", "postrider");
    }

    @ParameterizedTest
    @CsvSource({
        "-0001-01-01T00:00:00Z, false",
        "0001-01-01T00:00:00Z, true",
        "9999-12-31T23:59:59.999999Z, true",
        "+10000-01-01T00:00:00Z, false",
        "+294276-12-31T00:00:00Z, false"
    })
    void timeBeyondYearsOfFourDigitsIsLeftOut(String time, boolean there) {
        assertThat(attributes(event().occurredAt(Instant.parse(time)).build()).containsKey("time"))
                .isEqualTo(there);
    }

    @Test
    void emptyKeyAndContentTypeAreLeftOut() {
        OutboxEvent event =
                event().key("").payload(Payload.bytes(new byte[] {1}, " ")).build();

        assertThat(attributes(event)).doesNotContainKey("partitionkey");
        assertThat(new String(events.structured(event, new byte[] {1}), UTF_8)).doesNotContain("datacontenttype");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "1 2", "\u0001"})
    void payloadThatIsSaidToBeJsonAndIsNotIsRefusedInADocument(String body) {
        OutboxEvent event = event().payload(Payload.bytes(body.getBytes(UTF_8), Payload.JSON))
                .build();

        assertThatThrownBy(() -> events.structured(event, body.getBytes(UTF_8)))
                .isInstanceOf(InvalidEventException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"})
    void payloadInAnotherEncodingOrWithAByteOrderMarkIsUtf8InADocument(String charset) {
        for (String mark : new String[] {"", "\uFEFF"}) {
            byte[] body = (mark + "{\"name\": \"Zoë 🚚\"}").getBytes(Charset.forName(charset));

            byte[] document = events.structured(
                    event().payload(Payload.bytes(body, Payload.JSON)).build(), body);

            JsonNode read = JsonMapper.shared().readTree(document);
            assertThat(read.path("data").path("name").stringValue()).isEqualTo("Zoë 🚚");
            assertThat(new String(CloudEvents.inUtf8(body), UTF_8)).isEqualTo("{\"name\": \"Zoë 🚚\"}");
        }
    }

    @Test
    void payloadWithBytesThatAreNoTextIsRefusedInADocument() {
        byte[] body = {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'};

        assertThatThrownBy(() -> events.structured(
                        event().payload(Payload.bytes(body, Payload.JSON)).build(), body))
                .isInstanceOf(InvalidEventException.class);
    }

    @ParameterizedTest
    @CsvSource({"499, data", "500, data_base64", "100000, data_base64"})
    void documentWithADeeplyNestedPayloadCanBeReadByEverybody(int depth, String member) {
        byte[] body = ("[".repeat(depth) + "]".repeat(depth)).getBytes(UTF_8);

        byte[] document = events.structured(
                event().payload(Payload.bytes(body, Payload.JSON)).build(), body);

        JsonNode read = JsonMapper.shared().readTree(document);
        assertThat(read.has(member)).isTrue();
        assertThat(read.path("datacontenttype").stringValue()).isEqualTo(Payload.JSON);
        if (member.equals("data_base64")) {
            assertThat(read.path(member).binaryValue()).isEqualTo(body);
        }
    }

    @Test
    void payloadThatWouldBeTakenForTheEventIsRefusedInBinaryMode() {
        OutboxEvent event = event().payload(Payload.bytes(new byte[0], "Application/CloudEvents+json"))
                .build();

        assertThatThrownBy(() -> CloudEvents.requireBinary(event)).isInstanceOf(InvalidEventException.class);
    }

    private Map<String, String> attributes(OutboxEvent event) {
        Map<String, String> attributes = new HashMap<>();
        events.forEach(event, attributes::put);
        return attributes;
    }

    private static OutboxEvent.Builder event() {
        return OutboxEvent.builder("acme.a.b.v1").aggregate("a", "1").json("1");
    }
}
