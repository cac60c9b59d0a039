package dev.postrider.alert.webhook;

import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.Slf4jChannel;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** The channels that can be set by name: the log, and webhooks. */
public final class AlertChannels {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Alert channels");

    private static final Option<Boolean> LOG =
            GROUP.add(Option.of("alerts.log", Formats.YES_OR_NO, true, "Write alerts to the log."));
    private static final Option<URI> DISCORD = GROUP.add(
            Option.withoutDefault("alerts.discord-url", Formats.SECRET_URL, "Send alerts to this webhook of Discord."));
    private static final Option<URI> SLACK = GROUP.add(
            Option.withoutDefault("alerts.slack-url", Formats.SECRET_URL, "Send alerts to this webhook of Slack."));
    private static final Option<URI> JSON = GROUP.add(
            Option.withoutDefault("alerts.webhook-url", Formats.SECRET_URL, "Send alerts to this URL, as JSON."));

    public static final OptionGroup OPTIONS = GROUP.build();

    private AlertChannels() {}

    /** @param relay name at the beginning of each line in the log */
    public static List<AlertChannel> of(OptionValues values, String relay) {
        List<AlertChannel> channels = new ArrayList<>();
        if (values.get(LOG)) {
            channels.add(new Slf4jChannel(relay));
        }
        values.find(DISCORD).ifPresent(url -> channels.add(new WebhookChannel(url, WebhookFormat.DISCORD)));
        values.find(SLACK).ifPresent(url -> channels.add(new WebhookChannel(url, WebhookFormat.SLACK)));
        values.find(JSON).ifPresent(url -> channels.add(new WebhookChannel(url, WebhookFormat.JSON)));
        return channels;
    }
}
