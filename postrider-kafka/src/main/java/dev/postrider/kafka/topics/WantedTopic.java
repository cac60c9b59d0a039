package dev.postrider.kafka.topics;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.TopicConfig;

/**
 * A topic as it should be.
 *
 * @param partitions how many consumers of a group can read it together
 * @param replicationFactor how many brokers have each record
 * @param settings of the topic, by Kafka's names; for all others the brokers' defaults apply
 */
public record WantedTopic(String name, int partitions, int replicationFactor, Map<String, String> settings) {
    public static final int DEFAULT_PARTITIONS = 3;
    public static final int DEFAULT_REPLICATION_FACTOR = 3;
    public static final int DEFAULT_MIN_IN_SYNC_REPLICAS = 2;
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final int DEFAULT_DEAD_LETTER_PARTITIONS = 1;
    public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(30);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    public WantedTopic {
        settings = Map.copyOf(settings);
        require(
                NAME.matcher(name).matches(),
                name,
                "name",
                name,
                "1 to 249 letters, digits, dots, underscores or hyphens");
        require(partitions >= 1, name, "number of partitions", partitions, "1 or more");
        require(
                replicationFactor >= 1 && replicationFactor <= Short.MAX_VALUE,
                name,
                "replication factor",
                replicationFactor,
                "1 or more");
        String inSync = settings.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
        if (inSync != null && inSync.matches("\\d{1,9}")) {
            require(
                    Integer.parseInt(inSync) <= replicationFactor,
                    name,
                    TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
                    inSync,
                    "at most the replication factor, " + replicationFactor + ", or nothing could be written");
        }
    }

    private static void require(boolean holds, String topic, String what, Object value, String allowed) {
        if (!holds) {
            throw new PostriderException(
                    "The " + what + " of topic [" + topic + "] is " + value + "; it must be " + allowed + ".");
        }
    }

    /** A topic for events: 3 partitions, 3 replicas of which 2 must be in sync, 7 days. */
    public static WantedTopic ofEvents(String name) {
        return new WantedTopic(name, DEFAULT_PARTITIONS, DEFAULT_REPLICATION_FACTOR, Map.of())
                .withMinInSyncReplicas(DEFAULT_MIN_IN_SYNC_REPLICAS)
                .withRetention(DEFAULT_RETENTION);
    }

    /** The dead letter topic of this topic, with the same replication: 1 partition, 30 days. */
    public WantedTopic deadLetters(String suffix) {
        return new WantedTopic(name + suffix, DEFAULT_DEAD_LETTER_PARTITIONS, replicationFactor, settings)
                .withRetention(DEFAULT_DEAD_LETTER_RETENTION);
    }

    public WantedTopic withPartitions(int number) {
        return new WantedTopic(name, number, replicationFactor, settings);
    }

    /** Sets both at once, since one limits the other. */
    public WantedTopic withReplication(int factor, int minInSync) {
        Map<String, String> changed = new TreeMap<>(settings);
        changed.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, String.valueOf(minInSync));
        return new WantedTopic(name, partitions, factor, changed);
    }

    private WantedTopic withMinInSyncReplicas(int number) {
        return withReplication(replicationFactor, number);
    }

    public WantedTopic withRetention(Duration retention) {
        return with(TopicConfig.RETENTION_MS_CONFIG, String.valueOf(retention.toMillis()));
    }

    /** Any other setting of the topic. */
    public WantedTopic with(String setting, String value) {
        Map<String, String> changed = new TreeMap<>(settings);
        changed.put(setting, value);
        return new WantedTopic(name, partitions, replicationFactor, changed);
    }
}
