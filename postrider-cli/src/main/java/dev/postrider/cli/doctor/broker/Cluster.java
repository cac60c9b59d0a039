package dev.postrider.cli.doctor.broker;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Node;

/**
 * Kafka as it was when it was looked at.
 *
 * @param servers where it was looked for
 * @param brokers those that are up
 * @param settings a broker's own, by their names at Kafka; empty if we may not see them
 * @param topics those of the topics looked for that exist
 * @param missing those that do not
 * @param forbidden those that we may not see
 */
public record Cluster(
        String servers,
        List<Node> brokers,
        Map<String, String> settings,
        List<Topic> topics,
        List<String> missing,
        List<String> forbidden) {
    public Cluster {
        brokers = List.copyOf(brokers);
        settings = Map.copyOf(settings);
        topics = List.copyOf(topics);
        missing = List.copyOf(missing);
        forbidden = List.copyOf(forbidden);
    }

    /** The beginning of a command that changes a topic's setting. */
    String alter(String topic, String setting) {
        return "kafka-configs.sh --bootstrap-server " + servers + " --alter --entity-type topics --entity-name " + topic
                + " --add-config " + setting;
    }
}
