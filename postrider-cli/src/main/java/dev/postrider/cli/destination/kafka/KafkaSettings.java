package dev.postrider.cli.destination.kafka;

import dev.postrider.cli.settings.Formats;
import dev.postrider.cli.settings.Setting;
import dev.postrider.cli.settings.SettingsTable;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.topics.WantedTopic;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What can be set about Kafka and its topics. */
public final class KafkaSettings {
    private static final SettingsTable TABLE = new SettingsTable();

    public static final Setting<String> SERVERS = TABLE.add(
            "kafka.bootstrap-servers",
            "--kafka",
            Formats.SERVERS,
            null,
            "Kafka's bootstrap servers; short: kafka, POSTRIDER_KAFKA");
    public static final Setting<ContentMode> CONTENT_MODE = TABLE.add(
            "kafka.content-mode",
            null,
            Formats.oneOf(ContentMode.class),
            ContentMode.BINARY,
            "CloudEvents attributes as headers, or as one document with the payload");
    public static final Setting<String> BODY_ID_FIELD = TABLE.add(
            "kafka.body-id-field", null, Formats.TEXT, null, "Field of JSON payloads that gets the event's id too");
    public static final Setting<String> SOURCE =
            TABLE.add("kafka.source", null, Formats.TEXT, "postrider", "CloudEvents source of events that name none");
    public static final Setting<String> TOPIC_PREFIX =
            TABLE.add("kafka.topic-prefix", null, Formats.PREFIX, "", "Begins the name of every topic");
    public static final Setting<Map<String, String>> ROUTES = TABLE.add(
            "kafka.routes", null, Formats.PAIRS, Map.of(), "Topics of event types that do not follow the convention");
    public static final Setting<Map<String, String>> PROPERTIES =
            TABLE.add("kafka.properties", null, Formats.PAIRS, Map.of(), "Any property of Kafka's producer");

    public static final Setting<List<String>> TOPICS_NAMES = TABLE.add(
            "topics.names",
            null,
            Formats.TOPIC_NAMES,
            List.of(),
            "Topics that 'topics apply' makes, without the prefix");
    public static final Setting<Long> TOPICS_PARTITIONS = TABLE.add(
            "topics.partitions",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) WantedTopic.DEFAULT_PARTITIONS,
            "Partitions of each");
    public static final Setting<Map<String, String>> TOPICS_PARTITIONS_OF = TABLE.add(
            "topics.partitions-of", null, Formats.PAIRS, Map.of(), "Partitions of topics that need another number");
    public static final Setting<Long> TOPICS_REPLICATION_FACTOR = TABLE.add(
            "topics.replication-factor",
            null,
            Formats.wholeNumber(1, Short.MAX_VALUE),
            (long) WantedTopic.DEFAULT_REPLICATION_FACTOR,
            "Brokers that have each record");
    public static final Setting<Long> TOPICS_MIN_IN_SYNC = TABLE.add(
            "topics.min-insync-replicas",
            null,
            Formats.wholeNumber(1, Short.MAX_VALUE),
            (long) WantedTopic.DEFAULT_MIN_IN_SYNC_REPLICAS,
            "Of these, so many must have a record before it counts as written");
    public static final Setting<Duration> TOPICS_RETENTION = TABLE.add(
            "topics.retention",
            null,
            Formats.DURATION,
            WantedTopic.DEFAULT_RETENTION,
            "How long the brokers keep events");
    public static final Setting<Map<String, String>> TOPICS_RETENTION_OF = TABLE.add(
            "topics.retention-of", null, Formats.PAIRS, Map.of(), "The same for topics that need another time");
    public static final Setting<Map<String, String>> TOPICS_PROPERTIES = TABLE.add(
            "topics.properties", null, Formats.PAIRS, Map.of(), "Any other setting of Kafka's topics, for all of them");
    public static final Setting<Boolean> TOPICS_DEAD_LETTERS =
            TABLE.add("topics.dead-letters", null, Formats.YES_OR_NO, true, "A dead letter topic beside each");
    public static final Setting<String> TOPICS_DEAD_LETTER_SUFFIX =
            TABLE.add("topics.dead-letter-suffix", null, Formats.PREFIX, ".dlq", "Makes its name of the topic's");
    public static final Setting<Long> TOPICS_DEAD_LETTER_PARTITIONS = TABLE.add(
            "topics.dead-letter-partitions",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) WantedTopic.DEFAULT_DEAD_LETTER_PARTITIONS,
            "Its partitions");
    public static final Setting<Duration> TOPICS_DEAD_LETTER_RETENTION = TABLE.add(
            "topics.dead-letter-retention",
            null,
            Formats.DURATION,
            WantedTopic.DEFAULT_DEAD_LETTER_RETENTION,
            "How long the brokers keep what is in it");

    private KafkaSettings() {}

    /** In the order in which they are documented. */
    static List<Setting<?>> all() {
        return TABLE.all();
    }
}
