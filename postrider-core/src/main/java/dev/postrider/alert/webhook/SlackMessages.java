package dev.postrider.alert.webhook;

import static dev.postrider.alert.webhook.WebhookFormat.object;

import dev.postrider.alert.Alert;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Alerts as Slack's incoming webhooks take them. */
final class SlackMessages {
    /** Slack allows 150 characters in a header, 3000 in a section, and ten fields of 2000 each. */
    private static final MessageParts.Limits LIMITS = new MessageParts.Limits(150, 2900, 10, 100, 1800, 10_000);

    private SlackMessages() {}

    static List<Map<String, Object>> of(Alert alert) {
        MessageParts parts = MessageParts.of(alert, LIMITS, SlackMessages::escape);
        List<Object> blocks = new ArrayList<>();
        blocks.add(object("type", "header", "text", object("type", "plain_text", "text", parts.title())));
        blocks.add(object("type", "section", "text", markdown(parts.text().get(0))));
        if (!parts.fields().isEmpty()) {
            List<Object> fields = new ArrayList<>();
            parts.fields().forEach((name, value) -> fields.add(markdown("*" + name + "*\n" + value)));
            blocks.add(object("type", "section", "fields", fields));
        }
        String notification = "[" + label(alert) + "] " + MessageParts.escaped(parts.title(), SlackMessages::escape);

        List<Map<String, Object>> messages = new ArrayList<>();
        messages.add(object("text", notification, "blocks", blocks));
        parts.text().stream().skip(1).forEach(text -> messages.add(object("text", text)));
        parts.longTexts().forEach(text -> messages.add(object("text", text)));
        return messages;
    }

    private static Map<String, Object> markdown(String text) {
        return object("type", "mrkdwn", "text", text);
    }

    private static String label(Alert alert) {
        return alert.recovery() ? "OVER" : alert.severity().name();
    }

    /** The three characters by which Slack knows links, mentions and entities. */
    private static String escape(int character) {
        return switch (character) {
            case '&' -> "&amp;";
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            default -> Character.toString(character);
        };
    }
}
