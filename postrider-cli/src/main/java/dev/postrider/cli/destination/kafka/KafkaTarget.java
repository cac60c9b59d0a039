package dev.postrider.cli.destination.kafka;

import dev.postrider.PostriderException;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.doctor.broker.KafkaChecks;
import dev.postrider.cli.doctor.check.DestinationChecks;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.kafka.KafkaPublisher;
import java.nio.file.Path;
import java.util.Optional;

/** The Kafka that events go to, as it is set. */
public final class KafkaTarget implements EventTarget {
    private final Settings settings;
    private final KafkaAccess kafka;

    public KafkaTarget(Settings settings, Path directory) {
        this.settings = settings;
        this.kafka = new KafkaAccess(settings, directory);
    }

    @Override
    public String name() {
        return "Kafka";
    }

    @Override
    public String places() {
        return "the topics of their types";
    }

    /**
     * {@inheritDoc}
     *
     * @throws UsageException if Kafka's client does not accept the settings
     */
    @Override
    public KafkaPublisher publisher() {
        try {
            KafkaPublisher.Builder builder = KafkaPublisher.builder(kafka.servers())
                    .routing(kafka.routing())
                    .contentMode(settings.get(KafkaSettings.CONTENT_MODE))
                    .bodyIdField(settings.find(KafkaSettings.BODY_ID_FIELD).orElse(null))
                    .defaultSource(settings.get(KafkaSettings.SOURCE));
            kafka.properties().forEach(builder::property);
            KafkaPublisher publisher = builder.build();
            kafka.requireUsable();
            return publisher;
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Optional<String> problem() throws InterruptedException {
        return kafka.problem();
    }

    @Override
    public Optional<DestinationChecks> checks() {
        return Optional.of(new KafkaChecks(kafka));
    }
}
