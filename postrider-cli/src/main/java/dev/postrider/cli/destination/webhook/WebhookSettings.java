package dev.postrider.cli.destination.webhook;

import dev.postrider.cli.settings.CliFormats;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** What can be set about webhooks; none of it by a flag. */
final class WebhookSettings {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Webhooks");

    static final Option<URI> URL = GROUP.add(
            Option.withoutDefault("webhook.url", Formats.SECRET_URL, "URL of events that have no route of their own."));
    static final Option<Map<String, String>> ROUTES = GROUP.add(
            Option.of("webhook.routes", CliFormats.SECRET_PAIRS, Map.of(), "URLs of event types that go elsewhere."));
    static final Option<WebhookContent> FORMAT = GROUP.add(Option.of(
            "webhook.format",
            Formats.oneOf(WebhookContent.class),
            WebhookContent.STRUCTURED,
            "Attributes of a CloudEvent as headers (binary) or as one document with the payload (structured), or a"
                    + " message for people (discord)."));
    static final Option<String> TEMPLATE = GROUP.add(Option.withoutDefault(
            "webhook.template",
            Formats.TEXT,
            "Text of a message for people, with names such as {type} or {payload.amount} to be filled in."));
    static final Option<String> SOURCE = GROUP.add(
            Option.of("webhook.source", Formats.TEXT, "postrider", "CloudEvents source of events that name none."));
    static final Option<Map<String, String>> HEADERS = GROUP.add(Option.of(
            "webhook.headers", CliFormats.SECRET_PAIRS, Map.of(), "Headers of every request, such as Authorization."));
    static final Option<String> SECRET = GROUP.add(Option.withoutDefault(
            "webhook.secret",
            CliFormats.SECRET,
            "Signs requests: whsec_…, several separated by spaces. There is no flag for it on purpose."));
    static final Option<Path> SECRET_FILE = GROUP.add(Option.withoutDefault(
            "webhook.secret-file", Formats.FILE, "File that holds such secrets, one on each line."));
    static final Option<Duration> CONNECT_TIMEOUT = GROUP.add(Option.of(
            "webhook.connect-timeout",
            Formats.POSITIVE_DURATION,
            WebhookPublisher.DEFAULT_CONNECT_TIMEOUT,
            "Longest wait for a connection."));
    static final Option<Duration> TIMEOUT = GROUP.add(Option.of(
            "webhook.timeout",
            Formats.POSITIVE_DURATION,
            WebhookPublisher.DEFAULT_TIMEOUT,
            "Longest time for a request and its answer."));
    static final Option<Integer> IN_FLIGHT = GROUP.add(Option.of(
            "webhook.in-flight",
            Formats.wholeNumber(1, 1_000),
            WebhookPublisher.DEFAULT_IN_FLIGHT,
            "Requests of different keys that may be under way at the same time."));

    static final OptionGroup OPTIONS = GROUP.build();

    private WebhookSettings() {}
}
