package dev.postrider.alert.webhook;

import dev.postrider.alert.Alert;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * The format that a webhook understands. An alert that is longer than a message may be becomes several messages;
 * nothing is cut off.
 */
public enum WebhookFormat {
    /** An embed with title, text, fields and colour; what does not fit follows as plain content. */
    DISCORD(DiscordMessages::of),
    /** A text for the notification and blocks for the message itself; what does not fit follows as plain text. */
    SLACK(SlackMessages::of),
    /** One object with everything. */
    JSON(alert -> List.of(object(
            "rule", alert.rule(),
            "severity", alert.severity().name(),
            "recovery", alert.recovery(),
            "title", alert.title(),
            "text", alert.text(),
            "fields", alert.fields())));

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final Function<Alert, List<Map<String, Object>>> layout;

    WebhookFormat(Function<Alert, List<Map<String, Object>>> layout) {
        this.layout = layout;
    }

    /** The bodies to be posted, in this order. */
    List<String> messages(Alert alert) {
        return layout.apply(alert).stream().map(MAPPER::writeValueAsString).toList();
    }

    /** A JSON object of names and values, in this order. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }
}
