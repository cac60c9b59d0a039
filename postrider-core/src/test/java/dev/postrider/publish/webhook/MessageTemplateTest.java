package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MessageTemplateTest {
    private static final OutboxEvent EVENT = event("{\"amount\": 12.50, \"by\": {\"name\": \"Ada \\\"A\\\"\\n\"},"
            + " \"tags\": [\"x\", 1], \"none\": null, \"ok\": true}");

    @Test
    void namesAreFilledIn() {
        assertThat(content("{type} {aggregateType}/{aggregateId} {key} {source} {time} {id}", EVENT))
                .isEqualTo("acme.gift.given.v1 gift/7 k shop 2026-03-03T12:00:00Z " + EVENT.id());
        assertThat(content("{payload.amount}|{payload.by.name}|{payload.tags}|{payload.ok}", EVENT))
                .isEqualTo("12.5|Ada \"A\"\n|[\"x\",1]|true");
    }

    @Test
    void fieldThatIsNotThereIsNothing() {
        assertThat(content("<{payload.none}{payload.no.such}>", EVENT)).isEqualTo("<>");
        OutboxEvent bytes = OutboxEvent.builder("a.b")
                .aggregate("a", "1")
                .payload(Payload.bytes(new byte[] {1}, "application/x"))
                .build();
        assertThat(content("<{payload}{payload.no}{source}{time}>", bytes)).isEqualTo("<>");
    }

    @Test
    void doubledBracesStandForThemselves() {
        assertThat(content("{{type}} }", EVENT)).isEqualTo("{type} }");
    }

    @Test
    void messageMentionsNobody() {
        assertThat(message("@everyone", EVENT).at("/allowed_mentions/parse").isEmpty())
                .isTrue();
    }

    @Test
    void longTextIsCutToWhatDiscordTakes() {
        String exact = content("{payload.text}", event("{\"text\": \"" + "x".repeat(2000) + "\"}"));
        assertThat(exact).hasSize(2000).doesNotContain("…");

        // Two chars each: the cut would go through one of them.
        String cut = content("{payload.text}", event("{\"text\": \"" + "😀".repeat(1001) + "\"}"));
        assertThat(cut).hasSize(1999).endsWith("😀…");
    }

    @Test
    void whatEventsDoNotHaveIsRefused() {
        for (String wrong : new String[] {"{typ}", "{}", "{payload.}", "{payload..a}", "{Payload.a}"}) {
            assertThatThrownBy(() -> MessageTemplate.parse("Look: " + wrong))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("webhook.template is [Look: " + wrong + "]")
                    .hasMessageContaining("{payload.field}");
        }
        assertThatThrownBy(() -> MessageTemplate.parse("a {type")).hasMessageContaining("there must be a }");
        assertThatThrownBy(() -> MessageTemplate.parse(" ")).hasMessageContaining("webhook.template is empty");
    }

    private static String content(String template, OutboxEvent event) {
        return message(template, event).get("content").stringValue();
    }

    private static JsonNode message(String template, OutboxEvent event) {
        Message message = MessageTemplate.parse(template).of(event);
        assertThat(message.contentType()).isEqualTo("application/json");
        return JsonMapper.shared().readTree(new String(message.body(), UTF_8));
    }

    private static OutboxEvent event(String json) {
        return OutboxEvent.builder("acme.gift.given.v1")
                .aggregate("gift", "7")
                .key("k")
                .source("shop")
                .occurredAt(Instant.parse("2026-03-03T12:00:00Z"))
                .json(json)
                .build();
    }
}
