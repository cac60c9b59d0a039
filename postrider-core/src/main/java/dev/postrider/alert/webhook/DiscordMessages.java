package dev.postrider.alert.webhook;

import static dev.postrider.alert.webhook.WebhookFormat.object;

import dev.postrider.alert.Alert;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Alerts as Discord's webhooks take them. */
final class DiscordMessages {
    /**
     * Discord allows 2000 characters of content, of which a block of code needs some for its name and
     * fence, and 6000 for title, description and fields together.
     */
    private static final MessageParts.Limits LIMITS = new MessageParts.Limits(256, 1700, 25, 256, 1024, 3500);

    /** An error that contains {@code @everyone} must not call everyone. */
    private static final Map<String, Object> NOBODY = object("parse", List.of());

    private static final int RED = 0xE74C3C;
    private static final int ORANGE = 0xF39C12;
    private static final int GREEN = 0x2ECC71;

    private DiscordMessages() {}

    static List<Map<String, Object>> of(Alert alert) {
        MessageParts parts = MessageParts.of(alert, LIMITS, Character::toString);
        List<Object> fields = new ArrayList<>();
        parts.fields()
                .forEach((name, value) ->
                        fields.add(object("name", name, "value", value.isBlank() ? "–" : value, "inline", true)));
        Map<String, Object> embed = object(
                "title", parts.title(), "description", parts.text().get(0), "color", colour(alert), "fields", fields);

        List<Map<String, Object>> messages = new ArrayList<>();
        messages.add(object("embeds", List.of(embed), "allowed_mentions", NOBODY));
        parts.text().stream().skip(1).forEach(text -> messages.add(content(text)));
        parts.longTexts().forEach(text -> messages.add(content(text)));
        return messages;
    }

    private static Map<String, Object> content(String text) {
        return object("content", text, "allowed_mentions", NOBODY);
    }

    private static int colour(Alert alert) {
        if (alert.recovery()) {
            return GREEN;
        }
        return alert.severity() == Alert.Severity.CRITICAL ? RED : ORANGE;
    }
}
