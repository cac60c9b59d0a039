package dev.postrider.internal.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The id in the body is the event's own, and no other byte changes. */
class EnvelopeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{}                                           | {\"messageId\":ID}",
                "{\"a\": 1}                                   | {\"messageId\":ID,\"a\": 1}",
                "{\"messageId\":\"mine\"}                     | {\"messageId\":ID}",
                "{\"a\":\"ä\", \"messageId\" : \"it\\\"s\" , \"b\":2} | {\"a\":\"ä\", \"messageId\" : ID , \"b\":2}",
                "{\"messageId\":12.50}                        | {\"messageId\":ID}",
                "{\"messageId\": 12 }                         | {\"messageId\": ID }",
                "{\"messageId\":null,\"a\":true}              | {\"messageId\":ID,\"a\":true}",
                "{\"messageId\":true}                         | {\"messageId\":ID}",
                "{\"messageId\":{\"messageId\":[1]},\"a\":1}  | {\"messageId\":ID,\"a\":1}",
                "{\"messageId\":[{}, []] }                    | {\"messageId\":ID }",
                "{\"messageId\":1,\"messageId\":\"2\"}        | {\"messageId\":ID,\"messageId\":ID}",
                "{\"message\\u0049d\":\"mine\"}               | {\"message\\u0049d\":ID}",
                "{\"a\":{\"messageId\":\"inner\"}}            | {\"messageId\":ID,\"a\":{\"messageId\":\"inner\"}}",
                "[1]                                          | [1]"
            })
    void bodyHasTheEventsOwnId(String payload, String body) {
        OutboxEvent event = OutboxEvent.builder("acme.order.placed.v1")
                .aggregate("Order", "7")
                .json(payload)
                .build();

        byte[] value = new Envelope(true, "messageId", "test")
                .toRecord(event, "order-events")
                .value();

        assertThat(new String(value, UTF_8))
                .isEqualTo(body.replace(":ID", ":\"" + event.id() + "\"").replace(": ID", ": \"" + event.id() + "\""));
    }
}
