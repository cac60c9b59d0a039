package dev.postrider.cli.destination.kafka;

import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Topics of Kafka. */
public final class KafkaDestination implements Destination {
    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String inWords() {
        return "Kafka";
    }

    @Override
    public List<OptionGroup> options() {
        return KafkaSettings.OPTIONS;
    }

    @Override
    public Optional<Option<?>> byNameAlone() {
        return Optional.of(KafkaSettings.SERVERS);
    }

    @Override
    public boolean hasTopics() {
        return true;
    }

    @Override
    public Optional<Finding> unset(Settings settings) {
        return settings.find(KafkaSettings.SERVERS).isPresent()
                ? Optional.empty()
                : Optional.of(Finding.info(
                        "kafka.bootstrap-servers is not set, so the broker was not looked at.", "--kafka host:port"));
    }

    @Override
    public EventTarget target(Settings settings, Path directory) {
        return new KafkaTarget(settings, directory);
    }
}
