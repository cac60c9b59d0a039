package dev.postrider.cli.destination.webhook;

import dev.postrider.PostriderException;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.webhook.WebhookPublisher;
import dev.postrider.settings.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The webhooks that events go to, as they are set. They are not called before there is an event. */
final class WebhookTarget implements EventTarget {
    private final Settings settings;
    private final Path directory;

    WebhookTarget(Settings settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
        if (settings.get(WebhookSettings.ROUTES).isEmpty()) {
            settings.require(WebhookSettings.URL);
        }
    }

    @Override
    public String name() {
        return "The webhook";
    }

    @Override
    public String places() {
        return "the webhooks of their types";
    }

    @Override
    public WebhookPublisher publisher() {
        WebhookPublisher.Builder builder = WebhookPublisher.builder()
                .content(settings.get(WebhookSettings.FORMAT))
                .defaultSource(settings.get(WebhookSettings.SOURCE))
                .secrets(secrets())
                .connectTimeout(settings.get(WebhookSettings.CONNECT_TIMEOUT))
                .timeout(settings.get(WebhookSettings.TIMEOUT))
                .inFlight(settings.get(WebhookSettings.IN_FLIGHT));
        try {
            settings.find(WebhookSettings.URL).ifPresent(url -> builder.url(url.toString()));
            settings.find(WebhookSettings.TEMPLATE).ifPresent(builder::template);
            settings.get(WebhookSettings.ROUTES).forEach(builder::route);
            settings.get(WebhookSettings.HEADERS).forEach(builder::header);
            return builder.build();
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private List<String> secrets() {
        Optional<Option<?>> chosen = settings.strongest(WebhookSettings.SECRET, WebhookSettings.SECRET_FILE);
        if (chosen.isEmpty()) {
            return List.of();
        }
        String text = chosen.get().equals(WebhookSettings.SECRET)
                ? settings.get(WebhookSettings.SECRET)
                : read(settings.get(WebhookSettings.SECRET_FILE));
        List<String> secrets = List.of(text.strip().split("\\s+"));
        if (secrets.get(0).isEmpty()) {
            throw new UsageException(chosen.get().key() + " holds no secret; leave it out if nothing is to be signed.");
        }
        return secrets;
    }

    private String read(Path file) {
        Path path = directory.resolve(file);
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UsageException("The file of webhook secrets " + file + " cannot be read: "
                    + (Files.exists(path) ? "check its permissions." : "there is no such file."));
        }
    }
}
