package dev.postrider.cli.destination.webhook;

import dev.postrider.cli.settings.Formats;
import dev.postrider.cli.settings.Setting;
import dev.postrider.cli.settings.SettingsTable;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What can be set about webhooks; none of it by a flag. */
final class WebhookSettings {
    private static final SettingsTable TABLE = new SettingsTable();

    static final Setting<URI> URL =
            TABLE.add("webhook.url", null, Formats.SECRET_URL, null, "Where events go that no route leads elsewhere");
    static final Setting<Map<String, String>> ROUTES =
            TABLE.add("webhook.routes", null, Formats.PAIRS, Map.of(), "URLs of event types that go elsewhere");
    static final Setting<WebhookContent> FORMAT = TABLE.add(
            "webhook.format",
            null,
            Formats.oneOf(WebhookContent.class),
            WebhookContent.STRUCTURED,
            "Attributes of a CloudEvent as headers (binary) or as one document with the payload (structured), or a"
                    + " message for people (discord)");
    static final Setting<String> TEMPLATE = TABLE.add(
            "webhook.template",
            null,
            Formats.TEXT,
            null,
            "The text of such a message, with names such as {type} or {payload.amount} to be filled in");
    static final Setting<String> SOURCE =
            TABLE.add("webhook.source", null, Formats.TEXT, "postrider", "CloudEvents source of events that name none");
    static final Setting<Map<String, String>> HEADERS = TABLE.add(
            "webhook.headers", null, Formats.PAIRS, Map.of(), "Headers of every request, such as Authorization");
    static final Setting<String> SECRET = TABLE.add(
            "webhook.secret",
            null,
            Formats.SECRET,
            null,
            "Signs requests: whsec_…, several separated by spaces; there is no flag for it on purpose");
    static final Setting<Path> SECRET_FILE = TABLE.add(
            "webhook.secret-file", null, Formats.FILE, null, "File that holds such secrets, one on each line");
    static final Setting<Duration> CONNECT_TIMEOUT = TABLE.add(
            "webhook.connect-timeout",
            null,
            Formats.DURATION,
            WebhookPublisher.DEFAULT_CONNECT_TIMEOUT,
            "How long a connection may take");
    static final Setting<Duration> TIMEOUT = TABLE.add(
            "webhook.timeout",
            null,
            Formats.DURATION,
            WebhookPublisher.DEFAULT_TIMEOUT,
            "How long a request may take with its answer");
    static final Setting<Long> IN_FLIGHT = TABLE.add(
            "webhook.in-flight",
            null,
            Formats.wholeNumber(1, 1_000),
            (long) WebhookPublisher.DEFAULT_IN_FLIGHT,
            "Requests that may be out together, of different keys");

    private WebhookSettings() {}

    /** In the order in which they are documented. */
    static List<Setting<?>> all() {
        return TABLE.all();
    }
}
