package dev.postrider.cli.topics;

import dev.postrider.PostriderException;
import dev.postrider.cli.kafka.KafkaSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.kafka.topics.WantedTopic;
import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The topics that the settings want. */
final class WantedTopics {
    private static final Format<Integer> NUMBER = Formats.wholeNumber(1, 100_000);

    private final Settings settings;

    private WantedTopics(Settings settings) {
        this.settings = settings;
    }

    /**
     * @throws UsageException if they name none, or make no sense
     */
    static List<WantedTopic> of(Settings settings) {
        return new WantedTopics(settings).all();
    }

    private List<WantedTopic> all() {
        List<String> names = settings.get(KafkaSettings.TOPICS_NAMES);
        if (names.isEmpty()) {
            throw new UsageException(
                    "topics.names is empty, so there is nothing to make: name the topics in postrider.yml or"
                            + " in POSTRIDER_TOPICS_NAMES.");
        }
        refuseUnknown(KafkaSettings.TOPICS_PARTITIONS_OF, names);
        refuseUnknown(KafkaSettings.TOPICS_RETENTION_OF, names);
        List<WantedTopic> topics = new ArrayList<>();
        try {
            for (String name : names) {
                WantedTopic events = events(name);
                topics.add(events);
                if (settings.get(KafkaSettings.TOPICS_DEAD_LETTERS)) {
                    topics.add(deadLetters(events));
                }
            }
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
        return topics;
    }

    private WantedTopic events(String name) {
        WantedTopic topic = WantedTopic.ofEvents(settings.get(KafkaSettings.TOPIC_PREFIX) + name)
                .withReplication(
                        settings.get(KafkaSettings.TOPICS_REPLICATION_FACTOR),
                        settings.get(KafkaSettings.TOPICS_MIN_IN_SYNC))
                .withPartitions(partitions(name))
                .withRetention(retention(name));
        for (Map.Entry<String, String> property :
                settings.get(KafkaSettings.TOPICS_PROPERTIES).entrySet()) {
            topic = topic.with(property.getKey(), property.getValue());
        }
        return topic;
    }

    private WantedTopic deadLetters(WantedTopic events) {
        return events.deadLetters(settings.get(KafkaSettings.TOPICS_DEAD_LETTER_SUFFIX))
                .withPartitions(settings.get(KafkaSettings.TOPICS_DEAD_LETTER_PARTITIONS))
                .withRetention(settings.get(KafkaSettings.TOPICS_DEAD_LETTER_RETENTION));
    }

    private int partitions(String name) {
        String own = settings.get(KafkaSettings.TOPICS_PARTITIONS_OF).get(name);
        return own == null
                ? settings.get(KafkaSettings.TOPICS_PARTITIONS)
                : NUMBER.parse(own, "topics.partitions-of." + name);
    }

    private Duration retention(String name) {
        String own = settings.get(KafkaSettings.TOPICS_RETENTION_OF).get(name);
        return own == null
                ? settings.get(KafkaSettings.TOPICS_RETENTION)
                : Formats.DURATION.parse(own, "topics.retention-of." + name);
    }

    /** A name that is misspelt there would silently mean nothing. */
    private void refuseUnknown(Option<Map<String, String>> option, List<String> names) {
        for (String name : settings.get(option).keySet()) {
            if (!names.contains(name)) {
                throw new UsageException(option.key() + " names [" + name + "], which is not among topics.names: "
                        + String.join(", ", names) + ".");
            }
        }
    }
}
