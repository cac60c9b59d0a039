package dev.postrider.cli.destination.log;

import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Settings;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.nio.file.Path;
import java.util.List;

/** The log, for trying things out. */
public final class LogDestination implements Destination {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("The log as destination");

    private static final Option<Boolean> PAYLOAD =
            GROUP.add(Option.of("log.payload", Formats.YES_OR_NO, false, "Whether payloads are logged too."));

    private static final OptionGroup OPTIONS = GROUP.build();

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String inWords() {
        return "the log";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(OPTIONS);
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
