package dev.postrider.cli;

import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.LogPublisher;
import dev.postrider.publish.Publisher;
import java.nio.file.Path;
import java.util.Optional;

/** Where events go, as it is set. */
public interface EventTarget {

    /**
     * Contacts nobody.
     *
     * @param directory from which relative paths start
     * @throws UsageException if something that is needed is not set
     */
    static EventTarget of(Settings settings, Path directory) {
        return switch (settings.get(KnownSettings.RELAY_DESTINATION)) {
            case KAFKA -> new KafkaTarget(settings);
            case WEBHOOK -> new WebhookTarget(settings, directory);
            case LOG -> new LogTarget(settings.get(KnownSettings.LOG_PAYLOAD));
        };
    }

    /** At the beginning of a sentence. */
    String name();

    /** Where each event goes, within a sentence. */
    String places();

    /**
     * Contacts nobody.
     *
     * @throws UsageException if the settings cannot be used
     */
    Publisher publisher();

    /** Why it cannot be reached, if that is known. */
    default Optional<String> problem() throws InterruptedException {
        return Optional.empty();
    }

    /** For trying things out. */
    record LogTarget(boolean withPayloads) implements EventTarget {
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
            return withPayloads ? LogPublisher.withPayloads() : LogPublisher.withoutPayloads();
        }
    }
}
