package dev.postrider.cli.destination.webhook;

import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.OptionGroup;
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
    public List<OptionGroup> options() {
        return List.of(WebhookSettings.OPTIONS);
    }

    @Override
    public EventTarget target(Settings settings, Path directory) {
        return new WebhookTarget(settings, directory);
    }
}
