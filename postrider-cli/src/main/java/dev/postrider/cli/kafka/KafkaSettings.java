package dev.postrider.cli.kafka;

import dev.postrider.cli.settings.CliFormats;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.topics.WantedTopic;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What can be set about Kafka and its topics. */
public final class KafkaSettings {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Kafka");

    public static final Option<String> SERVERS = GROUP.add(Option.withoutDefault(
                    "kafka.bootstrap-servers",
                    CliFormats.SERVERS,
                    "Kafka's bootstrap servers. Short forms: kafka, POSTRIDER_KAFKA.")
            .withFlag("--kafka"));
    public static final Option<ContentMode> CONTENT_MODE = GROUP.add(Option.of(
            "kafka.content-mode",
            Formats.oneOf(ContentMode.class),
            ContentMode.BINARY,
            "CloudEvents attributes as headers (binary), or as one document with the payload (structured)."));
    public static final Option<String> BODY_ID_FIELD = GROUP.add(Option.withoutDefault(
            "kafka.body-id-field", Formats.TEXT, "Field of JSON payloads that gets the event's id too."));
    public static final Option<String> SOURCE = GROUP.add(
            Option.of("kafka.source", Formats.TEXT, "postrider", "CloudEvents source of events that name none."));
    public static final Option<String> TOPIC_PREFIX =
            GROUP.add(Option.of("kafka.topic-prefix", CliFormats.PREFIX, "", "Prefix of every topic's name."));
    public static final Option<Map<String, String>> ROUTES = GROUP.add(Option.of(
            "kafka.routes", CliFormats.PAIRS, Map.of(), "Topics of event types that do not follow the convention."));
    public static final Option<Map<String, String>> PROPERTIES = GROUP.add(
            Option.of("kafka.properties", CliFormats.SECRET_PAIRS, Map.of(), "Any property of Kafka's producer."));
    public static final Option<Path> PROPERTIES_FILE = GROUP.add(Option.withoutDefault(
            "kafka.properties-file",
            Formats.FILE,
            "File with properties of Kafka's producer, such as passwords; kafka.properties has precedence."));

    private static final OptionGroup.Builder TOPICS = OptionGroup.titled("Kafka's topics");

    public static final Option<List<String>> TOPICS_NAMES = TOPICS.add(Option.of(
            "topics.names",
            CliFormats.TOPIC_NAMES,
            List.of(),
            "Topics that 'topics apply' creates, without the prefix."));
    public static final Option<Integer> TOPICS_PARTITIONS = TOPICS.add(Option.of(
            "topics.partitions",
            Formats.wholeNumber(1, 100_000),
            WantedTopic.DEFAULT_PARTITIONS,
            "Partitions of each topic."));
    public static final Option<Map<String, String>> TOPICS_PARTITIONS_OF = TOPICS.add(Option.of(
            "topics.partitions-of", CliFormats.PAIRS, Map.of(), "Partitions of topics that need another number."));
    public static final Option<Integer> TOPICS_REPLICATION_FACTOR = TOPICS.add(Option.of(
            "topics.replication-factor",
            Formats.wholeNumber(1, Short.MAX_VALUE),
            WantedTopic.DEFAULT_REPLICATION_FACTOR,
            "Number of brokers that have each record."));
    public static final Option<Integer> TOPICS_MIN_IN_SYNC = TOPICS.add(Option.of(
            "topics.min-insync-replicas",
            Formats.wholeNumber(1, Short.MAX_VALUE),
            WantedTopic.DEFAULT_MIN_IN_SYNC_REPLICAS,
            "Number of these that must have a record before it counts as written."));
    public static final Option<Duration> TOPICS_RETENTION = TOPICS.add(Option.of(
            "topics.retention", Formats.DURATION, WantedTopic.DEFAULT_RETENTION, "How long the brokers keep events."));
    public static final Option<Map<String, String>> TOPICS_RETENTION_OF = TOPICS.add(Option.of(
            "topics.retention-of",
            CliFormats.PAIRS,
            Map.of(),
            "How long they keep the events of topics that need another time."));
    public static final Option<Map<String, String>> TOPICS_PROPERTIES = TOPICS.add(Option.of(
            "topics.properties", CliFormats.PAIRS, Map.of(), "Any other setting of Kafka's topics, for all of them."));
    public static final Option<Boolean> TOPICS_DEAD_LETTERS = TOPICS.add(Option.of(
            "topics.dead-letters", Formats.YES_OR_NO, true, "Whether each topic also gets a dead letter topic."));
    public static final Option<String> TOPICS_DEAD_LETTER_SUFFIX = TOPICS.add(Option.of(
            "topics.dead-letter-suffix",
            CliFormats.PREFIX,
            ".dlq",
            "The name of a dead letter topic is that of its topic with this suffix."));
    public static final Option<Integer> TOPICS_DEAD_LETTER_PARTITIONS = TOPICS.add(Option.of(
            "topics.dead-letter-partitions",
            Formats.wholeNumber(1, 100_000),
            WantedTopic.DEFAULT_DEAD_LETTER_PARTITIONS,
            "Partitions of each dead letter topic."));
    public static final Option<Duration> TOPICS_DEAD_LETTER_RETENTION = TOPICS.add(Option.of(
            "topics.dead-letter-retention",
            Formats.DURATION,
            WantedTopic.DEFAULT_DEAD_LETTER_RETENTION,
            "How long the brokers keep dead letters."));

    public static final List<OptionGroup> OPTIONS = List.of(GROUP.build(), TOPICS.build());

    private KafkaSettings() {}
}
