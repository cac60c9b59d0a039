package dev.postrider.cli.destination.webhook;

import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Setting;
import dev.postrider.cli.settings.Settings;
import java.nio.file.Path;
import java.util.List;

/** Requests to URLs. */
public final class WebhookDestination implements Destination {
    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String inWords() {
        return "webhooks";
    }

    @Override
    public List<Setting<?>> settings() {
        return WebhookSettings.all();
    }

    @Override
    public EventTarget target(Settings settings, Path directory) {
        return new WebhookTarget(settings, directory);
    }
}
