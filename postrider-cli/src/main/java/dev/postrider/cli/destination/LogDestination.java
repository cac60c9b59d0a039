package dev.postrider.cli.destination;

import dev.postrider.cli.settings.Formats;
import dev.postrider.cli.settings.Setting;
import dev.postrider.cli.settings.Settings;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import java.nio.file.Path;
import java.util.List;

/** The log, for trying things out. */
final class LogDestination implements Destination {
    private static final Setting<Boolean> PAYLOAD =
            new Setting<>("log.payload", null, Formats.YES_OR_NO, false, "With the log as destination: payloads too");

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String inWords() {
        return "the log";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(PAYLOAD);
    }

    @Override
    public boolean isOutside() {
        return false;
    }

    @Override
    public EventTarget target(Settings settings, Path directory) {
        return new LogTarget(settings.get(PAYLOAD));
    }

    private record LogTarget(boolean withPayloads) implements EventTarget {
        @Override
        public String name() {
            return "The log";
        }

        @Override
        public String places() {
            return "the log";
        }

        @Override
        public Publisher publisher() {
            return withPayloads ? Slf4jPublisher.withPayloads() : Slf4jPublisher.withoutPayloads();
        }
    }
}
